import type { EcosystemId } from '@sealsmith/ecosystems';
import type { Db } from '../database/database.ts';
import type { TenantScope } from '../platform/tenancy.ts';

/** Whether a name belongs to the tenant alone, so that upstream is never asked for it nor listened to about it. */
export type IsOwnName = (db: Db, scope: TenantScope, ecosystem: EcosystemId, packageName: string) => Promise<boolean>;
