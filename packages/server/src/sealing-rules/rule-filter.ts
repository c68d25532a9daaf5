import { anySentinel } from '@sealsmith/contract';

/** The three-way filter of a list of rules, on the project name or the vulnerable package name. */
export type RuleFilter =
  | { kind: 'all' }
  /** Only rules in which the field is `<ANY>`. */
  | { kind: 'any-only' }
  /** Only rules whose concrete value contains the text, both folded. */
  | { kind: 'contains'; foldedText: string };

export function parseRuleFilter(text: string | undefined): RuleFilter {
  if (text === undefined) return { kind: 'all' };
  if (text === anySentinel) return { kind: 'any-only' };
  return { kind: 'contains', foldedText: foldText(text) };
}

/**
 * How names are folded for comparison without regard to case: by Unicode, the same on every database. The final sigma is
 * folded too: it depends on what follows, and a part of a text must fold to a part of the folded text.
 */
export function foldText(text: string): string {
  return text.toLowerCase().replaceAll('ς', 'σ');
}
