import { sql } from 'kysely';
import type { Db } from '../database/database.ts';
import { sharedTenantId } from '../database/schema.ts';
import type { TenantScope } from '../platform/tenancy.ts';
import type { OriginVersion } from './stored-patch-set.ts';

/**
 * Whether the tenant has met this package version: the catalog has patches for it, a sealed version or a fix was made of
 * it, or a scan saw it. Advisories are not asked here, since whether they concern a version takes more than a look-up.
 */
export async function hasMetVersion(db: Db, { tenantId }: TenantScope, version: OriginVersion): Promise<boolean> {
  const { ecosystem, packageName, originVersion } = version;
  const inTable = (table: 'sealed_packages' | 'fixes' | 'components') =>
    db
      .selectFrom(table)
      .select(sql<number>`1`.as('met'))
      .where('tenant_id', '=', tenantId)
      .where('ecosystem', '=', ecosystem)
      .where('package_name', '=', packageName)
      .where('origin_version', '=', originVersion);
  const inCatalog = db
    .selectFrom('patch_sets')
    .select(sql<number>`1`.as('met'))
    .where('tenant_id', 'in', [tenantId, sharedTenantId])
    .where('ecosystem', '=', ecosystem)
    .where('package_name', '=', packageName)
    .where('package_version', '=', originVersion);
  const row = await inCatalog
    .unionAll(inTable('sealed_packages'))
    .unionAll(inTable('fixes'))
    .unionAll(inTable('components'))
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
