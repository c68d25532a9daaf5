import { endpoints } from '@sealsmith/contract';
import type { Database } from '../database/database.ts';
import type { CursorCodec } from '../platform/http/cursor.ts';
import { defineRoute } from '../platform/http/route.ts';
import { parseRuleFilter } from './rule-filter.ts';
import { listRules } from './rule-store.ts';

export function listSealingRulesRoute({ database, cursors }: { database: Database; cursors: CursorCodec }) {
  return defineRoute(endpoints.listSealingRules, async ({ query }, { caller }) => {
    const { project_name_filter, package_name_filter, limit, cursor } = query;
    const binding = {
      tenantId: caller.tenantId,
      list: 'sealing-rules',
      filters: { project_name_filter, package_name_filter },
    };
    const page = await listRules(database, caller, {
      project: parseRuleFilter(project_name_filter),
      package: parseRuleFilter(package_name_filter),
      from: cursor === undefined ? null : Number(cursors.decode(cursor, binding)[0]),
      limit,
    });
    const nextPage = page.next === null ? null : cursors.encode([page.next], binding);
    return { status: 200, json: `{"items":${page.items},"next_page":${JSON.stringify(nextPage)}}` };
  });
}
