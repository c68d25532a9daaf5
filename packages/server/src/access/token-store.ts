import type { Scope, TokenRole } from '@sealsmith/contract';
import type { Db } from '../database/database.ts';
import { type Clock, timestamp } from '../platform/clock.ts';
import { createId } from '../platform/ids.ts';
import type { TenantScope } from '../platform/tenancy.ts';
import { createTokenSecret, hashTokenSecret } from './token-secret.ts';

export interface NewToken {
  name: string;
  role: TokenRole;
  scopes: readonly Scope[];
  /** ISO time, or null for never. */
  expiresOn: string | null;
  createdBy: string;
}

export interface TokenRow {
  id: string;
  name: string;
  role: TokenRole;
  scopes: Scope[];
  expiresOn: string | null;
  createdBy: string;
  createdOn: string;
  lastUsedOn: string | null;
  revokedOn: string | null;
}

/** Makes a token. The returned secret is the only time that it can be seen. */
export async function createToken(
  transaction: Db,
  { tenantId }: TenantScope,
  clock: Clock,
  { name, role, scopes, expiresOn, createdBy }: NewToken,
): Promise<{ id: string; token: string }> {
  const token = createTokenSecret();
  const id = createId(clock);
  await transaction
    .insertInto('tokens')
    .values({
      tenant_id: tenantId,
      id,
      name,
      secret_hash: hashTokenSecret(token),
      role,
      scopes: scopes.join(' '),
      expires_on: expiresOn,
      created_by: createdBy,
      created_on: timestamp(clock),
      last_used_on: null,
      revoked_on: null,
    })
    .execute();
  return { id, token };
}

export async function listTokens(db: Db, { tenantId }: TenantScope): Promise<TokenRow[]> {
  const rows = await db.selectFrom('tokens').selectAll().where('tenant_id', '=', tenantId).orderBy('id').execute();
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    role: row.role,
    scopes: row.scopes.split(' ').filter(Boolean) as Scope[],
    expiresOn: row.expires_on,
    createdBy: row.created_by,
    createdOn: row.created_on,
    lastUsedOn: row.last_used_on,
    revokedOn: row.revoked_on,
  }));
}

/** Revokes at once; a token that is revoked already stays as it was. @returns whether the tenant has such a token */
export async function revokeToken(transaction: Db, scope: TenantScope, clock: Clock, id: string): Promise<boolean> {
  const now = timestamp(clock);
  const { numUpdatedRows } = await transaction
    .updateTable('tokens')
    .set(({ fn, val }) => ({ revoked_on: fn.coalesce('revoked_on', val(now)) }))
    .where('tenant_id', '=', scope.tenantId)
    .where('id', '=', id)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
