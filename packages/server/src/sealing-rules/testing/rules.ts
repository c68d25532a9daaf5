import { anySentinel, originSentinel, safestSentinel } from '@sealsmith/contract';
import type { SealedPackage } from '../../artifacts/sealed-package.ts';
import type { RuleTarget } from '../precedence.ts';
import { parseRule, type StoredRule } from '../rule.ts';

/**
 * A rule as a line: `storefront ejs@2.7.4 → <SAFEST>`, `<ANY> <ANY> → <SAFEST>`, `<ANY> ejs@2.7.4 → ejs-sealed@2.7.4-sp1`.
 */
export function ruleOf(line: string, createdOn = '2026-11-21T10:00:00.000Z'): StoredRule {
  const [project_name = '', subject = '', , outcome = ''] = line.split(' ');
  const [name, version] = subject === anySentinel ? [anySentinel, anySentinel] : splitVersion(subject);
  const isSentinel = outcome === safestSentinel || outcome === originSentinel;
  const [sealedName, sealedVersion] = isSentinel ? [name, outcome] : splitVersion(outcome);
  const input = {
    project_name,
    vulnerable_package_name: name,
    vulnerable_package_version: version,
    sealed_package_name: sealedName,
    sealed_package_version: sealedVersion,
  };
  return { ...parseRule(input), createdOn };
}

/** A package version of a project: `storefront npm ejs@2.7.4`. */
export function targetOf(line: string): RuleTarget {
  const [projectName = '', ecosystem = '', subject = ''] = line.split(' ');
  const [packageName, packageVersion] = splitVersion(subject);
  return { projectName, ecosystem: ecosystem as RuleTarget['ecosystem'], packageName, packageVersion };
}

/** A published sealed version of an npm package: `ejs@2.7.4`, 1. */
export function sealOf(origin: string, iteration: number): SealedPackage {
  const [packageName, originVersion] = splitVersion(origin);
  const sealedVersion = `${originVersion}-sp${iteration > 9 ? '.' : ''}${iteration}`;
  return {
    ecosystem: 'npm',
    packageName,
    originVersion,
    iteration,
    sealedVersion,
    fixId: 'fix',
    fileName: `${packageName}-${sealedVersion}.tgz`,
    sha256: 'aa',
    shasum: 'bb',
    integrity: 'sha512-cc',
    sizeBytes: 1,
    closedIdentifiers: [],
    publishedOn: '2026-11-21T10:00:00.000Z',
  };
}

function splitVersion(text: string): [string, string] {
  const at = text.lastIndexOf('@');
  return [text.slice(0, at), text.slice(at + 1)];
}
