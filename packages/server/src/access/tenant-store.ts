import { sql } from 'kysely';
import type { Database, Db } from '../database/database.ts';
import { AppError } from '../platform/app-error.ts';
import { type Clock, timestamp } from '../platform/clock.ts';
import { type TenantScope, tenantScope } from '../platform/tenancy.ts';

const tenantNamePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;
/** Rule ids carry the tenant in their upper bits and must stay below 2^53. */
const tenantIdMax = 2 ** 20;

/** @throws AppError `invalid_parameter` for a name that is not one, or that is taken */
export async function createTenant(
  transaction: Db,
  { capabilities }: Pick<Database, 'capabilities'>,
  clock: Clock,
  name: string,
): Promise<TenantScope> {
  if (!tenantNamePattern.test(name)) {
    throw new AppError(
      'invalid_parameter',
      'A tenant name has 1 to 100 letters, digits, ".", "_" or "-" and starts with a letter or digit.',
    );
  }
  const { highest } = await transaction
    .selectFrom('tenants')
    .select(({ fn }) => fn.coalesce(fn.max('id'), sql<number>`0`).as('highest'))
    .executeTakeFirstOrThrow();
  const id = Number(highest) + 1;
  if (id > tenantIdMax) throw new AppError('invalid_parameter', `There are ${tenantIdMax} tenants; no more fit.`);
  try {
    await transaction
      .insertInto('tenants')
      .values({ id, name, created_on: timestamp(clock) })
      .execute();
  } catch (error) {
    if (!capabilities.isUniqueViolation(error)) throw error;
    throw new AppError('invalid_parameter', `There is a tenant named "${name}" already.`, { cause: error });
  }
  return tenantScope(id);
}

export async function findTenant(db: Db, name: string): Promise<TenantScope | null> {
  const row = await db.selectFrom('tenants').select('id').where('name', '=', name).executeTakeFirst();
  return row ? tenantScope(row.id) : null;
}

/** Every tenant, oldest first. */
export async function listTenants(db: Db): Promise<(TenantScope & { name: string })[]> {
  const rows = await db.selectFrom('tenants').select(['id', 'name']).orderBy('id').execute();
  return rows.map(({ id, name }) => ({ ...tenantScope(id), name }));
}
