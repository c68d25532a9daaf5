import { normalizeName, originVersionOf } from '@sealsmith/ecosystems';
import type { SealedPackage } from '../artifacts/sealed-package.ts';
import { type RuleTarget, rank } from './precedence.ts';
import type { Resolution } from './resolution.ts';
import type { StoredRule } from './rule.ts';

/** The sealed versions that a rule may lead to, by look-up. */
export interface PublishedSeals {
  /** The highest iteration of an origin version; null when nothing is published. */
  newest(ecosystem: SealedPackage['ecosystem'], packageName: string, originVersion: string): SealedPackage | null;
  bySealedVersion(
    ecosystem: SealedPackage['ecosystem'],
    packageName: string,
    sealedVersion: string,
  ): SealedPackage | null;
}

/** Says what the rules do to one package version. `rules` may hold any rules of the tenant. */
export function resolvePackage(rules: readonly StoredRule[], target: RuleTarget, seals: PublishedSeals): Resolution {
  const [rule, ...losers] = rank(rules, target);
  if (!rule) return { outcome: 'no_rule', rule: null, losers };
  if (rule.outcome.kind === 'origin') return { outcome: 'origin', rule, losers };
  const name = sealedNameFor(rule, target);
  const origin = originVersionOf(target.ecosystem, target.packageVersion);
  const sealed =
    rule.outcome.kind === 'safest'
      ? seals.newest(target.ecosystem, name, origin)
      : seals.bySealedVersion(target.ecosystem, name, rule.outcome.sealedVersion);
  if (sealed) return { outcome: 'sealed', rule, sealed, losers };
  const missing =
    rule.outcome.kind === 'safest'
      ? `any sealed version of ${name} ${origin}`
      : `${name} ${rule.outcome.sealedVersion}`;
  return { outcome: 'unresolved', rule, missing, losers };
}

/** Indexes published versions for {@link resolvePackage}. */
export function indexSeals(published: readonly SealedPackage[]): PublishedSeals {
  const newest = new Map<string, SealedPackage>();
  const byVersion = new Map<string, SealedPackage>();
  for (const sealed of published) {
    const originKey = keyOf(sealed.ecosystem, sealed.packageName, sealed.originVersion);
    const known = newest.get(originKey);
    if (!known || known.iteration < sealed.iteration) newest.set(originKey, sealed);
    byVersion.set(keyOf(sealed.ecosystem, sealed.packageName, sealed.sealedVersion), sealed);
  }
  return {
    newest: (...key) => newest.get(keyOf(...key)) ?? null,
    bySealedVersion: (...key) => byVersion.get(keyOf(...key)) ?? null,
  };
}

/** The normalised name under which a rule's replacement is published. */
export function sealedNameFor(rule: StoredRule, target: RuleTarget): string {
  const name = rule.subject.kind === 'package-version' ? rule.subject.sealedName : target.packageName;
  try {
    return normalizeName(target.ecosystem, name);
  } catch {
    // Not a name of this ecosystem: nothing is published under it.
    return name;
  }
}

function keyOf(...parts: string[]): string {
  return parts.join('\u0000');
}
