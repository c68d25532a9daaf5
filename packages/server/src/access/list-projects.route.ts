import { endpoints } from '@sealsmith/contract';
import type { Db } from '../database/database.ts';
import type { CursorCodec } from '../platform/http/cursor.ts';
import { defineRoute } from '../platform/http/route.ts';
import { listProjects } from './project-store.ts';

export function listProjectsRoute({ db, cursors }: { db: Db; cursors: CursorCodec }) {
  return defineRoute(endpoints.listProjects, async ({ query: { limit, cursor } }, { caller }) => {
    const binding = { tenantId: caller.tenantId, list: 'projects', filters: {} };
    const after = cursor === undefined ? '' : String(cursors.decode(cursor, binding)[0]);
    const found = await listProjects(db, caller, { after, limit: limit + 1 });
    const items = found.slice(0, limit);
    const last = items.at(-1);
    const nextPage = found.length > limit && last ? cursors.encode([last.name], binding) : null;
    return { status: 200, body: { items, next_page: nextPage } };
  });
}
