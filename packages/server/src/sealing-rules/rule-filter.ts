import { anySentinel } from '@sealsmith/contract';
import { foldText } from '../platform/fold-text.ts';

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
