import type { Scope, TokenRole } from '@sealsmith/contract';
import type { Db } from '../database/database.ts';
import { prepareQuery } from '../database/prepared-query.ts';
import { AppError } from '../platform/app-error.ts';
import type { Clock } from '../platform/clock.ts';
import { type Caller, tenantScope } from '../platform/tenancy.ts';
import { hashTokenSecret, isTokenSecret } from './token-secret.ts';

const lastUsedFlushMs = 5_000;

export interface Authenticator extends AsyncDisposable {
  /**
   * Reads the token's row on every call, so that a revocation holds at the very next request on every instance.
   * @throws AppError `unauthorized`
   */
  authenticate(secret: string | null): Promise<Caller>;
}

interface Options {
  db: Db;
  clock: Clock;
  onError(error: unknown): void;
}

export function createAuthenticator({ db, clock, onError }: Options): Authenticator {
  const findByHash = prepareQuery(
    db,
    db
      .selectFrom('tokens')
      .select(['tenant_id', 'id', 'role', 'scopes', 'expires_on', 'revoked_on'])
      .where('secret_hash', '=', ''),
  );
  const uses = createUseRecorder(db, onError);
  return {
    authenticate: async (secret) => {
      if (secret === null) throw unauthorized('The request carries no access token.');
      if (!isTokenSecret(secret)) throw unauthorized('The access token is not one of this service.');
      const [row] = await findByHash([hashTokenSecret(secret)]);
      if (!row) throw unauthorized('The access token is not one of this service.');
      const now = clock.now().toISOString();
      if (row.revoked_on !== null) throw unauthorized('The access token has been revoked.');
      if (row.expires_on !== null && row.expires_on <= now) throw unauthorized('The access token has expired.');
      uses.note(row.tenant_id, row.id, now);
      return callerOf(row);
    },
    [Symbol.asyncDispose]: uses.stop,
  };
}

/** @throws AppError `forbidden` naming the scope that the token lacks */
export function requireScope(caller: Caller, scope: Scope): void {
  if (caller.scopes.has(scope)) return;
  throw new AppError('forbidden', `This needs a token with the scope "${scope}".`);
}

export function unauthorized(detail: string): AppError {
  return new AppError('unauthorized', detail, { headers: { 'www-authenticate': 'Bearer realm="sealsmith"' } });
}

/** The secret of an `Authorization: Bearer` header; null when there is none. */
export function bearerSecret(authorization: string | undefined): string | null {
  const match = /^Bearer +([^\s]+) *$/i.exec(authorization ?? '');
  return match?.[1] ?? null;
}

function callerOf(row: { tenant_id: number; id: string; role: TokenRole; scopes: string }): Caller {
  const scopes = new Set(row.scopes.split(' ') as Scope[]);
  return { ...tenantScope(row.tenant_id), tokenId: row.id, role: row.role, scopes };
}

/** Writes the times of last use together every few seconds: a request must not wait for a write. */
function createUseRecorder(db: Db, onError: (error: unknown) => void) {
  let pending = new Map<string, { tenantId: number; id: string; usedOn: string }>();
  const flush = async () => {
    const uses = [...pending.values()];
    pending = new Map();
    for (const { tenantId, id, usedOn } of uses) {
      const query = db.updateTable('tokens').set({ last_used_on: usedOn });
      await query.where('tenant_id', '=', tenantId).where('id', '=', id).execute();
    }
  };
  const timer = setInterval(() => void flush().catch(onError), lastUsedFlushMs).unref();
  return {
    note: (tenantId: number, id: string, usedOn: string) => void pending.set(id, { tenantId, id, usedOn }),
    stop: async () => {
      clearInterval(timer);
      // A stop must not fail for a time of last use.
      await flush().catch(onError);
    },
  };
}
