import { scopes } from '@sealsmith/contract';
import { recordAudit } from '../audit/record-audit.ts';
import type { Database } from '../database/database.ts';
import { inTransaction } from '../database/transaction.ts';
import { type Clock, timestamp } from '../platform/clock.ts';
import { createId } from '../platform/ids.ts';
import { createPassword, hashPassword } from './password.ts';
import { createTenant, findTenant } from './tenant-store.ts';
import { createToken } from './token-store.ts';

const marker = 'first_start_on';
const tenantName = 'default';

export interface FirstStartSecrets {
  tenantName: string;
  token: string;
  adminName: string;
  adminPassword: string;
}

/**
 * Makes the first tenant, a token and an administrator, once in the life of a database.
 * @returns the secrets to show, or null when the first start has been
 */
export async function makeFirstStart(database: Database, clock: Clock): Promise<FirstStartSecrets | null> {
  const done = await database.db.selectFrom('settings').select('value').where('name', '=', marker).executeTakeFirst();
  if (done) return null;
  const adminPassword = createPassword();
  const passwordHash = await hashPassword(adminPassword);
  return inTransaction(database, async (transaction) => {
    const { numInsertedOrUpdatedRows } = await transaction
      .insertInto('settings')
      .values({ name: marker, value: timestamp(clock) })
      .onConflict((conflict) => conflict.column('name').doNothing())
      .executeTakeFirst();
    // Another instance was first: its secrets are the ones.
    if (!numInsertedOrUpdatedRows) return null;
    const scope =
      (await findTenant(transaction, tenantName)) ?? (await createTenant(transaction, database, clock, tenantName));
    const newToken = {
      name: 'first start',
      role: 'production',
      scopes,
      expiresOn: null,
      createdBy: 'operator',
    } as const;
    const { id, token } = await createToken(transaction, scope, clock, newToken);
    const admin = { id: createId(clock), name: 'admin', role: 'admin', password_hash: passwordHash } as const;
    await transaction
      .insertInto('users')
      .values({ tenant_id: scope.tenantId, ...admin, created_on: timestamp(clock) })
      .execute();
    await recordAudit(transaction, scope, clock, { actor: 'operator', action: 'token.created', subject: id });
    return { tenantName, token, adminName: admin.name, adminPassword };
  });
}
