import type { Db } from '../database/database.ts';
import { prepareQuery } from '../database/prepared-query.ts';
import type { TenantScope } from '../platform/tenancy.ts';
import type { PackageName } from './sealed-package.ts';

/** A text that differs after every publication of the tenant for the package; null when it has no sealed version. */
export type FindSealedRevision = (scope: TenantScope, name: PackageName) => Promise<string | null>;

/** Prepared, because every request for a packument asks it. */
export function prepareSealedRevision(db: Db): FindSealedRevision {
  const query = prepareQuery(
    db,
    db
      .selectFrom('sealed_packages')
      .select(({ fn }) => [fn.countAll<number>().as('count'), fn.max('published_on').as('newest')])
      .where('tenant_id', '=', 0)
      .where('ecosystem', '=', 'npm')
      .where('package_name', '=', ''),
  );
  return async ({ tenantId }, { ecosystem, packageName }) => {
    const [row] = await query([tenantId, ecosystem, packageName]);
    return row && row.count > 0 ? `${tenantId} ${row.count} ${row.newest}` : null;
  };
}
