import { endpoints } from '@sealsmith/contract';
import type { Db } from '../database/database.ts';
import type { CursorCodec } from '../platform/http/cursor.ts';
import { defineRoute } from '../platform/http/route.ts';
import { presentFix } from './fix.ts';
import { listFixes } from './fix-store.ts';

export function listFixesRoute({ db, cursors }: { db: Db; cursors: CursorCodec }) {
  return defineRoute(endpoints.listFixes, async ({ query: { status = null, limit, cursor } }, { caller }) => {
    const binding = { tenantId: caller.tenantId, list: 'fixes', filters: { status } };
    const beforeId = cursor === undefined ? null : String(cursors.decode(cursor, binding)[0]);
    const found = await listFixes(db, caller, { status, beforeId, limit: limit + 1 });
    const items = found.slice(0, limit);
    const last = items.at(-1);
    const nextPage = found.length > limit && last ? cursors.encode([last.id], binding) : null;
    return { status: 200, body: { items: items.map(presentFix), next_page: nextPage } };
  });
}
