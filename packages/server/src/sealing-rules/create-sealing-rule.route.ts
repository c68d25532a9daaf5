import { endpoints } from '@sealsmith/contract';
import { AppError } from '../platform/app-error.ts';
import { defineRoute } from '../platform/http/route.ts';
import { parseRule, presentRule } from './rule.ts';
import { changeRule, type RuleWriteDeps } from './rule-change.ts';
import { insertRule } from './rule-store.ts';

export function createSealingRuleRoute(deps: RuleWriteDeps) {
  const writer = { clock: deps.clock, capabilities: deps.database.capabilities };
  return defineRoute(endpoints.createSealingRule, async ({ body }, { caller }) => {
    const rule = parseRule(body);
    const { result } = await changeRule(deps, caller, {
      key: rule,
      change: async (transaction) => {
        const stored = await insertRule(transaction, caller, writer, rule);
        if (stored) return { action: 'rule.created', result: stored };
        throw new AppError(
          'rule_exists',
          'There is a rule for this project, package and version already; PUT (on the command line: --replace) replaces it.',
        );
      },
    });
    return { status: 201, body: presentRule(result) };
  });
}
