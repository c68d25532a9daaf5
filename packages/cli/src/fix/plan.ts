import { anySentinel, type ResolvedPackage } from '@sealsmith/contract';
import type { LockedPackage, LockRedirection } from '@sealsmith/ecosystems';
import type { Outcome, OutcomeOf } from './outcomes.ts';
import { isSealedArtifact } from './sealed-artifact.ts';

/** An entry of the lockfile that gets, or has, a sealed artifact. */
export interface SealedEntry {
  path: string;
  name: string;
  version: string;
  sealedName: string;
  sealedVersion: string;
  from: { resolved: string | null; integrity: string | null };
  to: LockRedirection;
}

export interface RefusedEntry {
  path: string;
  name: string;
  version: string;
  reason: string;
}

export interface PackageVersion {
  name: string;
  version: string;
}

export interface FixPlan {
  sealed: SealedEntry[];
  /** What the mode asks for and what cannot be done. */
  refused: RefusedEntry[];
  /** Nothing more targeted than a rule for every package asked for a seal, and there is none. */
  withoutSeal: PackageVersion[];
}

/** Decides for each entry of a lockfile. Pure: nothing is written here. */
export function planFix(packages: readonly LockedPackage[], outcomeOf: OutcomeOf, context: PlanContext): FixPlan {
  const plan: FixPlan = { sealed: [], refused: [], withoutSeal: [] };
  const withoutSeal = new Map<string, PackageVersion>();
  for (const entry of packages) {
    const decision = decide(entry, outcomeOf(entry), context);
    const { path, name, version } = entry;
    if (decision.kind === 'seal') plan.sealed.push(decision.entry);
    if (decision.kind === 'refuse') plan.refused.push({ path, name, version, reason: decision.reason });
    if (decision.kind === 'no_seal') withoutSeal.set(`${name}@${version}`, { name, version });
  }
  plan.withoutSeal = [...withoutSeal.values()];
  return plan;
}

export interface PlanContext {
  serverUrl: string;
  /** Every package is asked for with a draft rule of its own, so that a missing seal says nothing of the user's rules. */
  areRulesDrafts: boolean;
}

type Decision =
  | { kind: 'seal'; entry: SealedEntry }
  | { kind: 'refuse'; reason: string }
  | { kind: 'no_seal' }
  | { kind: 'leave' };

function decide(entry: LockedPackage, outcome: Outcome | undefined, context: PlanContext): Decision {
  switch (outcome?.outcome) {
    case undefined:
    case 'no_rule':
      return { kind: 'leave' };
    case 'error':
      return { kind: 'refuse', reason: outcome.error.detail };
    case 'origin':
      return decideOrigin(entry, context);
    case 'unresolved': {
      const isTargeted = outcome.rule !== null && outcome.rule.vulnerable_package_name !== anySentinel;
      return isTargeted && !context.areRulesDrafts ? { kind: 'refuse', reason: outcome.reason } : { kind: 'no_seal' };
    }
    case 'sealed':
      return decideSealed(entry, outcome);
  }
}

function decideOrigin(entry: LockedPackage, { serverUrl }: PlanContext): Decision {
  if (!isSealedArtifact(entry, serverUrl)) return { kind: 'leave' };
  return {
    kind: 'refuse',
    reason: `a rule keeps the origin, but the lockfile points to a sealed artifact; bring the origin back with "npm install ${entry.name}@${entry.version}"`,
  };
}

function decideSealed(entry: LockedPackage, outcome: ResolvedPackage): Decision {
  const { artifact, sealed_package_name: sealedName, sealed_package_version: sealedVersion } = outcome;
  if (entry.isBundled) {
    return { kind: 'refuse', reason: 'it is bundled in the tarball of another package and cannot be replaced alone' };
  }
  if (entry.source !== 'registry') {
    return { kind: 'refuse', reason: 'it comes from a git repository, a file or another address, not from a registry' };
  }
  if (artifact === null || sealedVersion === null) {
    return { kind: 'refuse', reason: 'the service has a sealed version but does not say where its artifact is' };
  }
  const { path, name, version, resolved, integrity } = entry;
  const to = { resolved: artifact.url, integrity: artifact.integrity };
  const from = { resolved, integrity };
  return { kind: 'seal', entry: { path, name, version, sealedName: sealedName ?? name, sealedVersion, from, to } };
}
