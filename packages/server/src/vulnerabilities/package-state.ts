import type { FixAvailability, FixStatus, Vulnerability } from '@sealsmith/contract';
import type { SealedPackage } from '../artifacts/sealed-package.ts';
import type { PatchFact } from '../patches/patch-fact.ts';
import type { Resolution } from '../sealing-rules/resolution.ts';
import { isClosedBy } from './closed-by.ts';
import type { KnownVulnerability } from './vulnerability.ts';

type Seal = Pick<SealedPackage, 'iteration' | 'sealedVersion' | 'closedIdentifiers'>;

/** All that decides the state of one package version in one project. */
export interface PackageFacts {
  /** The iteration of every copy that the last scans saw; 0 is the origin itself. */
  seenIterations: readonly [number, ...number[]];
  vulnerabilities: readonly Pick<KnownVulnerability, 'identifier' | 'aliases' | 'severity' | 'cvssScore'>[];
  /** What is published for this origin version. */
  seals: readonly Seal[];
  /** What the rules do to the origin version in this project. */
  resolution:
    | { outcome: Exclude<Resolution['outcome'], 'sealed'> }
    | { outcome: 'sealed'; sealed: Pick<Seal, 'closedIdentifiers'> };
  /** Of the newest fix; null when none was asked for. */
  fixStatus: FixStatus | null;
  /** What the catalog's patches for this version close that no fix has tried yet; null when there are none. */
  patch: Pick<PatchFact, 'identifiers'> | null;
}

export interface PackageState {
  fixAvailability: FixAvailability;
  /** The newest published seal. */
  sealedVersion: string | null;
  vulnerabilities: Vulnerability[];
}

/** What is to be done about a package version; null when nothing known is wrong with it. */
export function packageStateOf(facts: PackageFacts): PackageState | null {
  if (facts.vulnerabilities.length === 0) return null;
  const seals = facts.seals.toSorted((a, b) => a.iteration - b.iteration);
  const vulnerabilities = facts.vulnerabilities.map((known) =>
    stateOfVulnerability(known, seals, facts.seenIterations),
  );
  const open = vulnerabilities.filter(({ state }) => state === 'open');
  return {
    fixAvailability: fixAvailabilityOf(open, facts),
    sealedVersion: seals.at(-1)?.sealedVersion ?? null,
    vulnerabilities,
  };
}

function stateOfVulnerability(
  { identifier, aliases, severity, cvssScore }: PackageFacts['vulnerabilities'][number],
  seals: readonly Seal[],
  seenIterations: readonly number[],
): Vulnerability {
  const closing = seals.filter((seal) => isClosedBy(seal.closedIdentifiers, { identifier, aliases }));
  const isSealed = seenIterations.every((seen) => closing.some(({ iteration }) => iteration === seen));
  return {
    identifier,
    aliases,
    severity,
    cvss_score: cvssScore,
    state: isSealed ? 'sealed' : 'open',
    sealed_by: closing[0]?.sealedVersion ?? null,
  };
}

/** The nearest to done comes first: what follows is only asked when the step before would close nothing more. */
function fixAvailabilityOf(open: readonly Vulnerability[], facts: PackageFacts): FixAvailability {
  const closesMore = (identifiers: readonly string[]) =>
    open.some((vulnerability) => isClosedBy(identifiers, vulnerability));
  const { resolution, seals, fixStatus, patch } = facts;
  if (open.length === 0) return 'sealed';
  if (resolution.outcome === 'sealed' && closesMore(resolution.sealed.closedIdentifiers)) return 'pending_deploy';
  if (seals.some(({ closedIdentifiers }) => closesMore(closedIdentifiers))) return 'seal_available';
  switch (fixStatus) {
    case 'queued':
    case 'building':
    case 'needs_review':
      return 'fix_in_preparation';
    case 'unfixable':
      return patch !== null && closesMore(patch.identifiers) ? 'generate_fix' : 'unfixable';
    case 'succeeded':
    case 'failed':
    case null:
      return 'generate_fix';
  }
}
