import type { Database, Db } from '../database/database.ts';
import { type Clock, timestamp } from '../platform/clock.ts';
import type { RouteReply } from '../platform/http/route.ts';
import { createId } from '../platform/ids.ts';
import type { TenantScope } from '../platform/tenancy.ts';

/** A request without an answer whose process has not shown for so long that it is alive has died with it. */
const abandonedAfterMs = 60_000;
const keptForMs = 24 * 60 * 60_000;

/** The right of one request to answer for its key. */
export interface KeyClaim {
  key: string;
  owner: string;
}

export interface KeyRecord {
  requestHash: string;
  /** null while the first request is under way. */
  reply: { status: number; location: string | null; body: unknown } | null;
}

/** @returns null when the key belongs to another request, of which {@link findKey} tells */
export async function claimKey(
  { db }: Database,
  scope: TenantScope,
  clock: Clock,
  { key, requestHash }: { key: string; requestHash: string },
): Promise<KeyClaim | null> {
  await forgetExpired(db, scope, clock);
  const owner = createId(clock);
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('idempotency_keys')
    .values({
      tenant_id: scope.tenantId,
      key,
      owner,
      request_hash: requestHash,
      status: null,
      location: null,
      body: null,
      alive_on: timestamp(clock),
    })
    .onConflict((conflict) => conflict.columns(['tenant_id', 'key']).doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows ? { key, owner } : null;
}

export async function findKey({ db }: Database, { tenantId }: TenantScope, key: string): Promise<KeyRecord | null> {
  const row = await db
    .selectFrom('idempotency_keys')
    .select(['request_hash', 'status', 'location', 'body'])
    .where('tenant_id', '=', tenantId)
    .where('key', '=', key)
    .executeTakeFirst();
  if (!row) return null;
  const { status, location, body } = row;
  return {
    requestHash: row.request_hash,
    reply: status === null ? null : { status, location, body: JSON.parse(body ?? 'null') },
  };
}

/** Shows that the request is still being worked on. */
export async function renewClaim({ db }: Database, scope: TenantScope, clock: Clock, claim: KeyClaim): Promise<void> {
  await ownRow(db.updateTable('idempotency_keys').set({ alive_on: timestamp(clock) }), scope, claim).execute();
}

/** Keeps the answer for repetitions. */
export async function keepAnswer(
  { db }: Database,
  scope: TenantScope,
  claim: KeyClaim,
  { status, headers, body }: RouteReply,
): Promise<void> {
  const answer = { status, location: headers?.location ?? null, body: JSON.stringify(body ?? null) };
  await ownRow(db.updateTable('idempotency_keys').set(answer), scope, claim).execute();
}

export async function releaseKey({ db }: Database, scope: TenantScope, claim: KeyClaim): Promise<void> {
  await ownRow(db.deleteFrom('idempotency_keys'), scope, claim).execute();
}

/** Who was taken for dead and comes back changes nothing any more. */
function ownRow<Query extends { where(column: 'tenant_id' | 'key' | 'owner', is: '=', value: string | number): Query }>(
  query: Query,
  { tenantId }: TenantScope,
  { key, owner }: KeyClaim,
): Query {
  return query.where('tenant_id', '=', tenantId).where('key', '=', key).where('owner', '=', owner);
}

async function forgetExpired(db: Db, { tenantId }: TenantScope, clock: Clock): Promise<void> {
  const before = (ms: number) => new Date(clock.now().getTime() - ms).toISOString();
  await db
    .deleteFrom('idempotency_keys')
    .where('tenant_id', '=', tenantId)
    .where('alive_on', '<', before(abandonedAfterMs))
    .where(({ eb, or }) => or([eb('status', 'is', null), eb('alive_on', '<', before(keptForMs))]))
    .execute();
}
