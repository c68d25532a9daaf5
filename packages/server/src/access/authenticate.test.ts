import { scopes } from '@sealsmith/contract';
import { expect, test } from 'vitest';
import { describeOnEveryDatabase } from '../../../../tests/support/databases.ts';
import { createTestClock } from '../../../../tests/support/test-clock.ts';
import type { Database } from '../database/database.ts';
import { inTransaction } from '../database/transaction.ts';
import type { TenantScope } from '../platform/tenancy.ts';
import { bearerSecret, createAuthenticator, requireScope } from './authenticate.ts';
import { createTenant } from './tenant-store.ts';
import { createTokenSecret } from './token-secret.ts';
import { createToken, listTokens, type NewToken, revokeToken } from './token-store.ts';

const newToken: NewToken = { name: 'ci', role: 'production', scopes, expiresOn: null, createdBy: 'operator' };

async function sceneOn(database: Database) {
  const clock = createTestClock('2026-11-21T10:00:00.000Z');
  const errors: unknown[] = [];
  const authenticator = createAuthenticator({ db: database.db, clock, onError: (error) => errors.push(error) });
  const tenant = (name: string) =>
    inTransaction(database, (transaction) => createTenant(transaction, database, clock, name));
  const token = (scope: TenantScope, change: Partial<NewToken> = {}) =>
    createToken(database.db, scope, clock, { ...newToken, ...change });
  return { clock, errors, authenticator, token, acme: await tenant('acme'), lookAlike: await tenant('acme-') };
}

describeOnEveryDatabase('authenticating', (open) => {
  test('a token names its tenant, its role and its scopes', async () => {
    await using database = await open();
    const { authenticator, token, acme, lookAlike } = await sceneOn(database);
    await using _ = authenticator;
    const first = await token(acme);
    const second = await token(lookAlike, { role: 'development', scopes: ['read', 'scans'] });

    expect(await authenticator.authenticate(first.token)).toEqual({
      tenantId: acme.tenantId,
      tokenId: first.id,
      role: 'production',
      scopes: new Set(scopes),
    });
    expect(await authenticator.authenticate(second.token)).toEqual({
      tenantId: lookAlike.tenantId,
      tokenId: second.id,
      role: 'development',
      scopes: new Set(['read', 'scans']),
    });
  });

  test('without a token, with another text and with an unknown token there is no caller', async () => {
    await using database = await open();
    const { authenticator } = await sceneOn(database);
    await using _ = authenticator;
    for (const secret of [null, '', 'secret', createTokenSecret()]) {
      await expect(authenticator.authenticate(secret)).rejects.toMatchObject({
        code: 'unauthorized',
        headers: { 'www-authenticate': 'Bearer realm="sealsmith"' },
      });
    }
  });

  test('a revocation holds at the very next call, also one by another instance', async () => {
    await using database = await open();
    const { authenticator, token, acme, clock } = await sceneOn(database);
    await using _ = authenticator;
    const { id, token: secret } = await token(acme);
    await authenticator.authenticate(secret);

    expect(await revokeToken(database.db, acme, clock, id)).toBe(true);

    await expect(authenticator.authenticate(secret)).rejects.toMatchObject({
      detail: 'The access token has been revoked.',
    });
  });

  test('a token expires at its time, not after it', async () => {
    await using database = await open();
    const { authenticator, token, acme, clock } = await sceneOn(database);
    await using _ = authenticator;
    const { token: secret } = await token(acme, { expiresOn: '2026-11-21T10:00:01.000Z' });
    clock.advance(999);
    await authenticator.authenticate(secret);
    clock.advance(1);
    await expect(authenticator.authenticate(secret)).rejects.toMatchObject({ detail: 'The access token has expired.' });
  });

  test('the last use is written by the end, and a refused use is none', async () => {
    await using database = await open();
    const { authenticator, token, acme, lookAlike, clock } = await sceneOn(database);
    const { token: secret } = await token(acme);
    const expired = await token(lookAlike, { expiresOn: '2026-11-21T09:00:00.000Z' });
    await authenticator.authenticate(secret);
    clock.advance(5_000);
    await authenticator.authenticate(secret);
    await expect(authenticator.authenticate(expired.token)).rejects.toThrow();

    await authenticator[Symbol.asyncDispose]();

    expect(await listTokens(database.db, acme)).toMatchObject([{ lastUsedOn: '2026-11-21T10:00:05.000Z' }]);
    expect(await listTokens(database.db, lookAlike)).toMatchObject([{ lastUsedOn: null }]);
  });

  test('that the last use cannot be written is reported and stops nothing', async () => {
    const database = await open();
    const { authenticator, token, acme, errors } = await sceneOn(database);
    await authenticator.authenticate((await token(acme)).token);
    await database[Symbol.asyncDispose]();

    await authenticator[Symbol.asyncDispose]();

    expect(errors).toHaveLength(1);
  });
});

describeOnEveryDatabase('tokens', (open) => {
  test('of a token only the hash is stored', async () => {
    await using database = await open();
    const { token, acme } = await sceneOn(database);
    const { token: secret } = await token(acme);
    const rows = await database.db.selectFrom('tokens').selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain(secret.slice(4));
  });

  test('a token is revoked only in its own tenant, once, and keeps the first time', async () => {
    await using database = await open();
    const { token, acme, lookAlike, clock } = await sceneOn(database);
    const { id } = await token(acme);

    expect(await revokeToken(database.db, lookAlike, clock, id)).toBe(false);
    expect(await revokeToken(database.db, acme, clock, 'unknown')).toBe(false);
    expect(await revokeToken(database.db, acme, clock, id)).toBe(true);
    clock.advance(1_000);
    expect(await revokeToken(database.db, acme, clock, id)).toBe(true);

    expect(await listTokens(database.db, acme)).toMatchObject([{ revokedOn: '2026-11-21T10:00:00.000Z' }]);
    expect(await listTokens(database.db, lookAlike)).toEqual([]);
  });
});

test.each([
  [undefined, null],
  ['', null],
  ['Bearer', null],
  ['Bearer ', null],
  ['Bearer abc', 'abc'],
  ['bearer   abc ', 'abc'],
  ['Bearer a b', null],
  ['Basic abc', null],
  ['xBearer abc', null],
])('the header %j carries %j', (header, secret) => {
  expect(bearerSecret(header)).toBe(secret);
});

test('a scope that the token lacks is named', () => {
  const caller = { tenantId: 1, tokenId: 't', role: 'production', scopes: new Set(['read'] as const) } as never;
  expect(() => requireScope(caller, 'read')).not.toThrow();
  expect(() => requireScope(caller, 'rules')).toThrow('"rules"');
});
