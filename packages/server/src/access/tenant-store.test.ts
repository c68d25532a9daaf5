import { expect, test } from 'vitest';
import { describeOnEveryDatabase } from '../../../../tests/support/databases.ts';
import { sharedTenantId } from '../database/schema.ts';
import { inTransaction } from '../database/transaction.ts';
import { systemClock } from '../platform/clock.ts';
import { createProject, findProject, listProjects } from './project-store.ts';
import { createTenant, findTenant, listTenants } from './tenant-store.ts';

describeOnEveryDatabase('tenants', (open) => {
  test('ids count up and are never that of the shared tenant', async () => {
    await using database = await open();
    const create = (name: string) =>
      inTransaction(database, (transaction) => createTenant(transaction, database, systemClock, name));
    const made = [await create('acme'), await create('Acme')];
    expect(made.map(({ tenantId }) => tenantId)).toEqual([1, 2]);
    expect(made.map(({ tenantId }) => tenantId)).not.toContain(sharedTenantId);
    expect(await listTenants(database.db)).toMatchObject([{ name: 'acme' }, { name: 'Acme' }]);
    expect(await findTenant(database.db, 'Acme')).toEqual({ tenantId: 2 });
    expect(await findTenant(database.db, 'ACME')).toBeNull();
  });

  test('a name that is taken or none is refused', async () => {
    await using database = await open();
    const create = (name: string) =>
      inTransaction(database, (transaction) => createTenant(transaction, database, systemClock, name));
    await create('acme');
    for (const name of ['acme', '', '-acme', 'a/b', 'ä', 'a'.repeat(101)]) {
      await expect(create(name), name).rejects.toMatchObject({ code: 'invalid_parameter' });
    }
    expect(await listTenants(database.db)).toHaveLength(1);
  });
});

describeOnEveryDatabase('projects', (open) => {
  test('each tenant has its own, by name in the order of code points', async () => {
    await using database = await open();
    const [acme, lookAlike] = [
      await inTransaction(database, (transaction) => createTenant(transaction, database, systemClock, 'acme')),
      await inTransaction(database, (transaction) => createTenant(transaction, database, systemClock, 'acme-')),
    ];
    for (const name of ['b', 'a', 'B', '_'])
      expect(await createProject(database.db, acme, systemClock, name)).toBe(true);
    expect(await createProject(database.db, acme, systemClock, 'a')).toBe(false);
    expect(await createProject(database.db, lookAlike, systemClock, 'a')).toBe(true);

    const names = async (after: string, limit: number) =>
      (await listProjects(database.db, acme, { after, limit })).map(({ name }) => name);
    expect(await names('', 10)).toEqual(['B', '_', 'a', 'b']);
    expect(await names('B', 2)).toEqual(['_', 'a']);
    expect(await listProjects(database.db, lookAlike, { after: '', limit: 10 })).toHaveLength(1);
    expect(await findProject(database.db, lookAlike, 'b')).toBeNull();
  });
});
