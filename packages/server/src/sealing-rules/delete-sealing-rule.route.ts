import { endpoints } from '@sealsmith/contract';
import { AppError } from '../platform/app-error.ts';
import { defineRoute } from '../platform/http/route.ts';
import { parseRuleKey } from './rule.ts';
import { changeRule, type RuleWriteDeps } from './rule-change.ts';
import { deleteRule } from './rule-store.ts';

export function deleteSealingRuleRoute(deps: RuleWriteDeps) {
  return defineRoute(endpoints.deleteSealingRule, async ({ query }, { caller }) => {
    const key = parseRuleKey(query);
    await changeRule(deps, caller, {
      key,
      change: async (transaction) => {
        if (await deleteRule(transaction, caller, deps.database.capabilities, key))
          return { action: 'rule.deleted', result: null };
        throw new AppError('not_found', 'There is no rule for this project, package and version.');
      },
    });
    return { status: 204 };
  });
}
