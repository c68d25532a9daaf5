import { endpoints } from '@sealsmith/contract';
import { defineRoute } from '../platform/http/route.ts';
import { parseRule, presentRule } from './rule.ts';
import { changeRule, type RuleWriteDeps } from './rule-change.ts';
import { insertRule, replaceRule } from './rule-store.ts';

export function putSealingRuleRoute(deps: RuleWriteDeps) {
  const writer = { clock: deps.clock, capabilities: deps.database.capabilities };
  return defineRoute(endpoints.putSealingRule, async ({ body }, { caller }) => {
    const rule = parseRule(body);
    const { action, result } = await changeRule(deps, caller, {
      key: rule,
      change: async (transaction) => {
        const created = await insertRule(transaction, caller, writer, rule);
        if (created) return { action: 'rule.created', result: created };
        const replaced = await replaceRule(transaction, caller, rule);
        if (!replaced) throw new Error('the rule that stood in the way is gone within one transaction');
        return { action: 'rule.replaced', result: replaced };
      },
    });
    return { status: action === 'rule.created' ? 201 : 200, body: presentRule(result) };
  });
}
