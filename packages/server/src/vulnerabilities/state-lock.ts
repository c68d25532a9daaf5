import type { Db } from '../database/database.ts';
import { sharedTenantId } from '../database/schema.ts';
import type { TenantScope } from '../platform/tenancy.ts';

/**
 * Makes the transactions that bring states of a tenant up to date run one after the other until they end. Each has made
 * its change already and now reads what the others changed: without an order between them, a scan and an import at the
 * same time would each miss what the other brings. For the shared tenant, every tenant is locked.
 */
export async function lockStates(transaction: Db, { tenantId }: TenantScope): Promise<void> {
  await transaction
    .updateTable('tenants')
    .set(({ ref }) => ({ vulnerable_package_counter: ref('vulnerable_package_counter') }))
    .$if(tenantId !== sharedTenantId, (query) => query.where('id', '=', tenantId))
    .execute();
}
