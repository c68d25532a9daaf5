import { precedenceOf } from './precedence.ts';
import type { Resolution } from './resolution.ts';
import type { Rule, StoredRule } from './rule.ts';

const descriptions = {
  'project-package': 'a rule of the project that names the package version',
  'tenant-package': 'a tenant-wide rule that names the package version',
  'project-everything': 'a rule of the project for every package',
  'tenant-everything': 'a tenant-wide rule for every package',
} as const;

/** Why the packages's outcome is what it is, in a sentence. */
export function explainResolution(resolution: Resolution): string {
  switch (resolution.outcome) {
    case 'no_rule':
      return 'No rule matches, so the package stays as it is.';
    case 'origin':
      return `It stays as it is: ${describe(resolution.rule)} says <ORIGIN>.`;
    case 'sealed':
      return `It is replaced by ${resolution.sealed.sealedVersion}: ${describe(resolution.rule)} decides.`;
    case 'unresolved':
      return `${upperFirst(describe(resolution.rule))} decides, but ${resolution.missing} is not published.`;
  }
}

/** Why a rule that matches too does not decide. */
export function explainLoss(winner: StoredRule, loser: StoredRule): string {
  if (precedenceOf(winner) === precedenceOf(loser)) return 'An older rule names the same package in another spelling.';
  return `${upperFirst(describe(winner))} is more targeted than ${describe(loser)}.`;
}

function describe(rule: Rule): string {
  return descriptions[precedenceOf(rule)];
}

function upperFirst(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
