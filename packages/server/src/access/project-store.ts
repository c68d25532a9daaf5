import type { Project } from '@sealsmith/contract';
import type { Db } from '../database/database.ts';
import { type Clock, timestamp } from '../platform/clock.ts';
import type { TenantScope } from '../platform/tenancy.ts';

/** @returns false when the tenant has a project of that name already */
export async function createProject(transaction: Db, scope: TenantScope, clock: Clock, name: string): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await transaction
    .insertInto('projects')
    .values({ tenant_id: scope.tenantId, name, created_on: timestamp(clock) })
    .onConflict((conflict) => conflict.columns(['tenant_id', 'name']).doNothing())
    .executeTakeFirst();
  return (numInsertedOrUpdatedRows ?? 0n) > 0n;
}

export async function findProject(db: Db, { tenantId }: TenantScope, name: string): Promise<Project | null> {
  const row = await db
    .selectFrom('projects')
    .select(['name', 'created_on'])
    .where('tenant_id', '=', tenantId)
    .where('name', '=', name)
    .executeTakeFirst();
  return row ?? null;
}

/** Projects by name, those after `after` (exclusive). */
export async function listProjects(
  db: Db,
  { tenantId }: TenantScope,
  { after, limit }: { after: string; limit: number },
): Promise<Project[]> {
  return db
    .selectFrom('projects')
    .select(['name', 'created_on'])
    .where('tenant_id', '=', tenantId)
    .where('name', '>', after)
    .orderBy('name')
    .limit(limit)
    .execute();
}
