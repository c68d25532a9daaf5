import type { EcosystemId } from '@sealsmith/ecosystems';
import type { Advisory, AffectedEvent } from '../vulnerabilities/osv-record.ts';

/** What an advisory says, as plain text, with the affected versions of one package only. */
export function describeAdvisory(advisory: Advisory, ecosystem: EcosystemId, packageName: string): string {
  const { id, published, modified, aliases, summary, severity, cvssScore, cvssVector, details, references } = advisory;
  const affected = advisory.affected.filter((entry) => entry.ecosystem === ecosystem && entry.name === packageName);
  return [
    `Advisory: ${id} (published ${published ?? 'at an unknown time'}, last modified ${modified})`,
    ...(aliases.length > 0 ? [`Aliases: ${aliases.join(', ')}`] : []),
    `Severity: ${severity}${cvssScore === null ? '' : `, CVSS ${cvssScore} (${cvssVector})`}`,
    `Summary: ${summary || 'none'}`,
    ...affected.flatMap(({ ranges, versions }) => [
      ...ranges.map(({ type, events }) => `Affected range (${type}): ${events.map(describeEvent).join(', ')}`),
      ...(versions.length > 0 ? [`Affected versions listed one by one: ${versions.length}`] : []),
    ]),
    'Details:',
    details || 'none',
    ...(references.length > 0 ? ['References:', ...references.map(({ type, url }) => `- ${type} ${url}`)] : []),
  ].join('\n');
}

function describeEvent(event: AffectedEvent): string {
  return Object.entries(event)
    .map(([kind, version]) => `${kind} ${version}`)
    .join(' ');
}
