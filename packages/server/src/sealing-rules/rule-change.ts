import { recordAudit } from '../audit/record-audit.ts';
import type { Database, Db } from '../database/database.ts';
import { inTransaction } from '../database/transaction.ts';
import type { Clock } from '../platform/clock.ts';
import type { Caller } from '../platform/tenancy.ts';
import type { RefreshStates } from '../vulnerabilities/state-refresh.ts';
import type { RuleKey } from './rule.ts';

export interface RuleWriteDeps {
  database: Database;
  clock: Clock;
  refresh: RefreshStates;
}

export type RuleAction = 'rule.created' | 'rule.replaced' | 'rule.deleted';

interface RuleChange<Result> {
  key: RuleKey;
  /** Makes the change. @returns what was done, with the result to give back */
  change(transaction: Db): Promise<{ action: RuleAction; result: Result }>;
}

/** Changes a rule, refreshes the states that it decides and records who did it, all or nothing. */
export async function changeRule<Result>(
  { database, clock, refresh }: RuleWriteDeps,
  caller: Caller,
  { key, change }: RuleChange<Result>,
): Promise<{ action: RuleAction; result: Result }> {
  return inTransaction(database, async (transaction) => {
    const done = await change(transaction);
    const { scope, subject } = key;
    const projectName = scope.kind === 'project' ? scope.projectName : null;
    const named = subject.kind === 'package-version' ? subject : null;
    const packageName = named?.packageName ?? null;
    await refresh(transaction, caller, { kind: 'rule-subject', packageName, projectName });
    const detail = { projectName, packageName, packageVersion: named?.packageVersion ?? null };
    const subjectText = [packageName ?? 'every package', named?.packageVersion].filter(Boolean).join(' ');
    await recordAudit(transaction, caller, clock, {
      actor: caller.tokenId,
      action: done.action,
      subject: subjectText,
      detail,
    });
    return done;
  });
}
