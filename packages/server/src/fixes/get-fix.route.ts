import { endpoints } from '@sealsmith/contract';
import type { Db } from '../database/database.ts';
import { AppError } from '../platform/app-error.ts';
import { defineRoute } from '../platform/http/route.ts';
import { presentFix } from './fix.ts';
import { findFix } from './fix-store.ts';

export function getFixRoute({ db }: { db: Db }) {
  return defineRoute(endpoints.getFix, async ({ params }, { caller }) => {
    const fix = await findFix(db, caller, params.fix_id);
    if (!fix) throw new AppError('not_found', 'There is no fix with this id.');
    return { status: 200, body: presentFix(fix) };
  });
}
