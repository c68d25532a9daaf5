import { createHash } from 'node:crypto';
import type { Database } from '../database/database.ts';
import { AppError } from '../platform/app-error.ts';
import { type Clock, timestamp } from '../platform/clock.ts';
import type { RouteReply } from '../platform/http/route.ts';
import type { TenantScope } from '../platform/tenancy.ts';

const keyPattern = /^[\x21-\x7e]{1,255}$/;
/** A first request that is still without an answer after this has died with its process. */
const abandonedAfterMs = 60_000;
const keptForMs = 24 * 60 * 60_000;

export interface IdempotentRequest {
  key: string;
  method: string;
  path: string;
  body: unknown;
}

/** Runs a request at most once for its `Idempotency-Key`; a repetition gets the first answer again. */
export interface IdempotencyGuard {
  run(scope: TenantScope, request: IdempotentRequest, work: () => Promise<RouteReply>): Promise<RouteReply>;
}

export function createIdempotencyGuard({ database, clock }: { database: Database; clock: Clock }): IdempotencyGuard {
  const { db } = database;
  const keyed = (scope: TenantScope, key: string) => ({ tenant_id: scope.tenantId, key });
  const claim = async (scope: TenantScope, key: string, requestHash: string): Promise<RouteReply | null> => {
    await forget(db, scope, key, clock);
    const inserted = await db
      .insertInto('idempotency_keys')
      .values({
        ...keyed(scope, key),
        request_hash: requestHash,
        status: null,
        location: null,
        body: null,
        created_on: timestamp(clock),
      })
      .onConflict((conflict) => conflict.columns(['tenant_id', 'key']).doNothing())
      .executeTakeFirst();
    if (inserted.numInsertedOrUpdatedRows) return null;
    return replay(database, scope, key, requestHash);
  };
  return {
    run: async (scope, { key, method, path, body }, work) => {
      if (!keyPattern.test(key)) throw invalidKey();
      const requestHash = createHash('sha256')
        .update(JSON.stringify([method, path, body ?? null]))
        .digest('hex');
      const earlier = await claim(scope, key, requestHash);
      if (earlier) return earlier;
      try {
        const reply = await work();
        await db
          .updateTable('idempotency_keys')
          .set({
            status: reply.status,
            location: reply.headers?.location ?? null,
            body: JSON.stringify(reply.body ?? null),
          })
          .where('tenant_id', '=', scope.tenantId)
          .where('key', '=', key)
          .execute();
        return reply;
      } catch (error) {
        // What failed may be tried again under the same key.
        await db
          .deleteFrom('idempotency_keys')
          .where('tenant_id', '=', scope.tenantId)
          .where('key', '=', key)
          .execute();
        throw error;
      }
    },
  };
}

async function replay({ db }: Database, scope: TenantScope, key: string, requestHash: string): Promise<RouteReply> {
  const row = await db
    .selectFrom('idempotency_keys')
    .select(['request_hash', 'status', 'location', 'body'])
    .where('tenant_id', '=', scope.tenantId)
    .where('key', '=', key)
    .executeTakeFirst();
  if (row && row.request_hash !== requestHash) {
    throw new AppError('idempotency_key_reused', 'The Idempotency-Key was used for another request.');
  }
  if (!row || row.status === null) {
    throw new AppError('idempotency_key_in_use', 'The first request with this Idempotency-Key is still under way.');
  }
  const headers: Record<string, string> = { 'idempotent-replayed': 'true' };
  if (row.location !== null) headers.location = row.location;
  return { status: row.status, body: JSON.parse(row.body ?? 'null'), headers };
}

async function forget(db: Database['db'], scope: TenantScope, key: string, clock: Clock): Promise<void> {
  const before = (ms: number) => new Date(clock.now().getTime() - ms).toISOString();
  await db
    .deleteFrom('idempotency_keys')
    .where('tenant_id', '=', scope.tenantId)
    .where('key', '=', key)
    .where(({ eb, or, and }) =>
      or([
        eb('created_on', '<', before(keptForMs)),
        and([eb('status', 'is', null), eb('created_on', '<', before(abandonedAfterMs))]),
      ]),
    )
    .execute();
}

function invalidKey(): AppError {
  const message = 'has 1 to 255 printable ASCII characters without spaces';
  return new AppError('invalid_parameter', `An Idempotency-Key ${message}.`, {
    problems: [{ location: 'header', name: 'Idempotency-Key', message }],
  });
}
