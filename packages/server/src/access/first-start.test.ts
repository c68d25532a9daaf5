import { expect, inject, test } from 'vitest';
import { describeOnEveryDatabase } from '../../../../tests/support/databases.ts';
import { createDatabase } from '../../../../tests/support/postgres-server.ts';
import { openDatabase } from '../database/open.ts';
import { systemClock } from '../platform/clock.ts';
import { createAuthenticator } from './authenticate.ts';
import { makeFirstStart } from './first-start.ts';
import { readInstanceSecret } from './instance-secret.ts';
import { isPassword } from './password.ts';

describeOnEveryDatabase('the first start', (open) => {
  test('makes a tenant, a token that works and an administrator, once', async () => {
    await using database = await open();
    const secrets = await makeFirstStart(database, systemClock);
    await using authenticator = createAuthenticator({ db: database.db, clock: systemClock, onError: () => {} });

    const caller = await authenticator.authenticate(secrets?.token ?? null);
    const user = await database.db.selectFrom('users').selectAll().executeTakeFirstOrThrow();

    expect(caller).toMatchObject({ tenantId: 1, role: 'production' });
    expect(user).toMatchObject({ tenant_id: 1, name: secrets?.adminName, role: 'admin' });
    expect(await isPassword(secrets?.adminPassword ?? '', user.password_hash)).toBe(true);
    expect(await makeFirstStart(database, systemClock)).toBeNull();
  });

  test('two at the same time make one tenant, and one of them has the secrets', async () => {
    await using database = await open();
    const results = await Promise.all([makeFirstStart(database, systemClock), makeFirstStart(database, systemClock)]);
    expect(results.filter((secrets) => secrets !== null)).toHaveLength(1);
    expect(await database.db.selectFrom('tenants').select('name').execute()).toEqual([{ name: 'default' }]);
    expect(await database.db.selectFrom('tokens').select('id').execute()).toHaveLength(1);
  });

  test('a secret of the installation is made once, whoever asks first', async () => {
    await using database = await open();
    const secrets = await Promise.all([1, 2, 3].map(() => readInstanceSecret(database.db, 'cursor_key')));
    expect(new Set(secrets.map((secret) => secret.toString('hex'))).size).toBe(1);
    expect(secrets[0]).toHaveLength(32);
    expect(await readInstanceSecret(database.db, 'other')).not.toEqual(secrets[0]);
  });
});

test('two instances that start at the same time over one new database agree', async () => {
  const url = await createDatabase(inject('postgresBaseUrl'));
  const start = async () => {
    await using database = await openDatabase({ kind: 'postgres', url });
    return await makeFirstStart(database, systemClock);
  };
  const results = await Promise.all([start(), start()]);
  expect(results.filter((secrets) => secrets !== null)).toHaveLength(1);
});
