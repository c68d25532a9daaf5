import { createHash } from 'node:crypto';
import type { Database } from '../database/database.ts';
import { AppError } from '../platform/app-error.ts';
import type { Clock } from '../platform/clock.ts';
import type { RouteReply } from '../platform/http/route.ts';
import type { TenantScope } from '../platform/tenancy.ts';
import { claimKey, findKey, type KeyClaim, keepAnswer, releaseKey, renewClaim } from './idempotency-store.ts';

const keyPattern = /^[\x21-\x7e]{1,255}$/;
const renewEveryMs = 20_000;

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

interface Options {
  database: Database;
  clock: Clock;
  onError(error: unknown): void;
}

export function createIdempotencyGuard({ database, clock, onError }: Options): IdempotencyGuard {
  const whileRenewed = async (scope: TenantScope, claim: KeyClaim, work: () => Promise<RouteReply>) => {
    const renew = () => void renewClaim(database, scope, clock, claim).catch(onError);
    const timer = setInterval(renew, renewEveryMs).unref();
    try {
      return await work();
    } finally {
      clearInterval(timer);
    }
  };
  return {
    run: async (scope, { key, method, path, body }, work) => {
      if (!keyPattern.test(key)) throw invalidKey();
      const requestHash = hashOf([method, path, body ?? null]);
      const claim = await claimKey(database, scope, clock, { key, requestHash });
      if (claim === null) return replay(database, scope, key, requestHash);
      try {
        const reply = await whileRenewed(scope, claim, work);
        await keepAnswer(database, scope, claim, reply);
        return reply;
      } catch (error) {
        // What failed may be tried again under the same key.
        await releaseKey(database, scope, claim);
        throw error;
      }
    },
  };
}

async function replay(database: Database, scope: TenantScope, key: string, requestHash: string): Promise<RouteReply> {
  const known = await findKey(database, scope, key);
  if (known && known.requestHash !== requestHash) {
    throw new AppError('idempotency_key_reused', 'The Idempotency-Key was used for another request.');
  }
  if (!known?.reply) {
    throw new AppError('idempotency_key_in_use', 'The first request with this Idempotency-Key is still under way.');
  }
  const { status, location, body } = known.reply;
  return { status, body, headers: { 'idempotent-replayed': 'true', ...(location !== null && { location }) } };
}

function hashOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}

function invalidKey(): AppError {
  const message = 'has 1 to 255 printable ASCII characters without spaces';
  return new AppError('invalid_parameter', `An Idempotency-Key ${message}.`, {
    problems: [{ location: 'header', name: 'Idempotency-Key', message }],
  });
}
