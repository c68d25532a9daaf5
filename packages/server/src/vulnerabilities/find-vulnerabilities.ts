import { severities } from '@sealsmith/contract';
import { type EcosystemId, ecosystems } from '@sealsmith/ecosystems';
import { describeVulnerability, joinByAliases } from './advisory-join.ts';
import { findAdvisories, listAdvisoryIds } from './advisory-store.ts';
import { advisoryAffects } from './affected-range.ts';
import { compareIdentifiers } from './identifiers.ts';
import type { Advisory } from './osv-record.ts';
import type { FindVulnerabilities, KnownVulnerability, PackageVersion } from './vulnerability.ts';

/** Reads only the advisories that name one of the packages, each once, however many versions they concern. */
export const findVulnerabilities: FindVulnerabilities = async (db, scope, packages) => {
  const idsByPackage = new Map<string, Set<string>>();
  for (const [ecosystem, group] of Map.groupBy(packages, (item) => item.ecosystem)) {
    const names = new Set(group.map(({ packageName }) => packageName));
    for (const { packageName, advisoryId } of await listAdvisoryIds(db, scope, ecosystem, [...names])) {
      const key = keyOf(ecosystem, packageName);
      idsByPackage.set(key, (idsByPackage.get(key) ?? new Set()).add(advisoryId));
    }
  }
  const ids = new Set([...idsByPackage.values()].flatMap((group) => [...group]));
  const advisories = await findAdvisories(db, scope, [...ids]);
  return packages.map((item) => {
    const candidates = [...(idsByPackage.get(keyOf(item.ecosystem, item.packageName)) ?? [])];
    const standing = candidates.flatMap((id) => advisories.get(id) ?? []);
    return joined(standing.filter((advisory) => concerns(advisory, item)));
  });
};

function keyOf(ecosystem: EcosystemId, packageName: string): string {
  return `${ecosystem} ${packageName}`;
}

/** Where versions have no order, an advisory concerns the versions that it lists, and ranges cannot be read. */
function concerns(advisory: Advisory, { ecosystem, packageName, packageVersion }: PackageVersion): boolean {
  if (ecosystems[ecosystem].versions.supported)
    return advisoryAffects(advisory, ecosystem, packageName, packageVersion);
  return advisory.affected.some(
    (affected) =>
      affected.ecosystem === ecosystem && affected.name === packageName && affected.versions.includes(packageVersion),
  );
}

function joined(advisories: readonly Advisory[]): KnownVulnerability[] {
  return joinByAliases(advisories)
    .map((group): KnownVulnerability => {
      const { cvss_score, ...described } = describeVulnerability(group);
      return { ...described, cvssScore: cvss_score, advisories: group };
    })
    .sort(
      (a, b) =>
        severities.indexOf(a.severity) - severities.indexOf(b.severity) ||
        compareIdentifiers(a.identifier, b.identifier),
    );
}
