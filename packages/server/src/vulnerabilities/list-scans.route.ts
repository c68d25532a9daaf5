import { endpoints, type Project } from '@sealsmith/contract';
import type { Db } from '../database/database.ts';
import { AppError } from '../platform/app-error.ts';
import type { CursorCodec } from '../platform/http/cursor.ts';
import { defineRoute } from '../platform/http/route.ts';
import type { TenantScope } from '../platform/tenancy.ts';
import { listScans } from './scan-store.ts';

interface Dependencies {
  db: Db;
  cursors: CursorCodec;
  findProject(db: Db, scope: TenantScope, name: string): Promise<Project | null>;
}

export function listScansRoute({ db, cursors, findProject }: Dependencies) {
  return defineRoute(endpoints.listScans, async ({ params, query: { limit, cursor } }, { caller }) => {
    const projectName = params.project_name;
    const binding = { tenantId: caller.tenantId, list: 'scans', filters: { projectName } };
    const before = cursor === undefined ? null : String(cursors.decode(cursor, binding)[0]);
    if (!(await findProject(db, caller, projectName))) {
      throw new AppError('not_found', `There is no project named "${projectName}".`);
    }
    const found = await listScans(db, caller, { projectName, before, limit: limit + 1 });
    const items = found.slice(0, limit);
    const last = items.at(-1);
    const nextPage = found.length > limit && last ? cursors.encode([last.id], binding) : null;
    return { status: 200, body: { items, next_page: nextPage } };
  });
}
