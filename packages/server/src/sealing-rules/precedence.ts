import { type EcosystemId, normalizeName, originVersionOf } from '@sealsmith/ecosystems';
import type { Rule } from './rule.ts';

/** A package version as rules see it: a sealed version counts as its origin. */
export interface RuleTarget {
  projectName: string;
  ecosystem: EcosystemId;
  packageName: string;
  packageVersion: string;
}

/** What a rule says of a package, most targeted first. */
export const precedences = ['project-package', 'tenant-package', 'project-everything', 'tenant-everything'] as const;
export type Precedence = (typeof precedences)[number];

/** How targeted a rule is. A rule that names the version beats one for every package, whatever their scopes. */
export function precedenceOf({ scope, subject }: Pick<Rule, 'scope' | 'subject'>): Precedence {
  if (subject.kind === 'package-version') return scope.kind === 'project' ? 'project-package' : 'tenant-package';
  return scope.kind === 'project' ? 'project-everything' : 'tenant-everything';
}

export function matches({ scope, subject }: Pick<Rule, 'scope' | 'subject'>, target: RuleTarget): boolean {
  if (scope.kind === 'project' && scope.projectName !== target.projectName) return false;
  if (subject.kind === 'every-package') return true;
  return (
    subject.packageVersion === originVersionOf(target.ecosystem, target.packageVersion) &&
    isSameName(target.ecosystem, subject.packageName, target.packageName)
  );
}

/** The rules that match, the deciding one first; among equals, which only names spelt differently can be, the older one. */
export function rank<R extends Rule>(rules: readonly R[], target: RuleTarget): R[] {
  const place = (rule: R) => precedences.indexOf(precedenceOf(rule));
  return rules.filter((rule) => matches(rule, target)).sort((a, b) => place(a) - place(b));
}

/** A rule has no ecosystem, so its name may be one that this ecosystem does not allow: then it matches nothing there. */
function isSameName(ecosystem: EcosystemId, ruleName: string, packageName: string): boolean {
  if (ruleName === packageName) return true;
  try {
    return normalizeName(ecosystem, ruleName) === normalizeName(ecosystem, packageName);
  } catch {
    return false;
  }
}
