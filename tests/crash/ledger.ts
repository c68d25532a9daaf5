import { isDeepStrictEqual } from 'node:util';
import type { Fix, SealingRule, SealingRuleInput } from '@sealsmith/contract';

/** What the service has acknowledged, and what it was asked for without an answer. */
export interface Ledger {
  rules: RuleLedger;
  /** By id: what the answer said. */
  scans: Map<string, { projectName: string; packageCount: number }>;
  fixes: Map<string, { packageName: string; version: string }>;
  counts: { acknowledged: number; unanswered: number };
}

export function createLedger(): Ledger {
  return {
    rules: createRuleLedger(),
    scans: new Map(),
    fixes: new Map(),
    counts: { acknowledged: 0, unanswered: 0 },
  };
}

export type RuleKey = Pick<SealingRule, 'project_name' | 'vulnerable_package_name' | 'vulnerable_package_version'>;

interface RuleEntry {
  /** null: it is not there. */
  settled: SealingRule | null;
  /** Asked for and not answered; undefined when there is no such request. */
  pending?: SealingRuleInput | null;
}

export type RuleLedger = ReturnType<typeof createRuleLedger>;

/** One writer at a time for each key, so that the order of its writes is known. */
function createRuleLedger() {
  const entries = new Map<string, RuleEntry>();
  return {
    find: (key: RuleKey): SealingRule | null => entries.get(textOf(key))?.settled ?? null,
    count: () => [...entries.values()].filter(({ settled }) => settled !== null).length,
    /** @param asked null for a deletion */
    ask: (key: RuleKey, asked: SealingRuleInput | null) => {
      entries.set(textOf(key), { settled: entries.get(textOf(key))?.settled ?? null, pending: asked });
    },
    acknowledge: (key: RuleKey, settled: SealingRule | null) => void entries.set(textOf(key), { settled }),
    /** Compares with the whole list of rules, which from then on is what holds. @returns each difference in a sentence */
    settle: (listed: readonly SealingRule[]): string[] => {
      const found = new Map(listed.map((rule) => [textOf(rule), rule]));
      const problems = listed.length === found.size ? [] : ['a rule is listed twice'];
      for (const key of new Set([...entries.keys(), ...found.keys()])) {
        const actual = found.get(key) ?? null;
        const entry = entries.get(key) ?? { settled: null };
        if (!isOneOf(actual, entry))
          problems.push(`${key} is ${JSON.stringify(actual)}, not as ${JSON.stringify(entry)}`);
        entries.set(key, { settled: actual });
      }
      return problems;
    },
  };
}

function isOneOf(actual: SealingRule | null, { settled, pending }: RuleEntry): boolean {
  if (isDeepStrictEqual(actual, settled)) return true;
  if (pending === undefined) return false;
  if (actual === null || pending === null) return actual === pending;
  // What was replaced keeps its time of creation.
  return isDeepStrictEqual(actual, { ...pending, created_on: settled?.created_on ?? actual.created_on });
}

function textOf({ project_name, vulnerable_package_name, vulnerable_package_version }: RuleKey): string {
  return JSON.stringify([project_name, vulnerable_package_name, vulnerable_package_version]);
}

export function recordFix({ fixes }: Ledger, { id, package_name, vulnerable_version }: Fix): void {
  fixes.set(id, { packageName: package_name, version: vulnerable_version });
}
