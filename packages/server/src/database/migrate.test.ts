import { expect, test } from 'vitest';
import { describeOnEveryDatabase } from '../../../../tests/support/databases.ts';
import { migrate } from './migrate.ts';

describeOnEveryDatabase('migrations', (open) => {
  test('running them again changes nothing', async () => {
    await using database = await open();
    const before = await database.db.introspection.getTables();

    await migrate(database);

    const after = await database.db.introspection.getTables();
    expect(after).toEqual(before);
    expect(before.map(({ name }) => name)).toContain('sealing_rules');
  });

  test('a rule that is half about every package cannot be stored', async () => {
    await using database = await open();
    await database.db.insertInto('tenants').values({ id: 1, name: 'acme', created_on: 't' }).execute();
    const rule = {
      tenant_id: 1,
      id: 2 ** 32 + 1,
      project_name: null,
      package_name: 'ejs',
      package_version: '2.7.4',
      sealed_name: 'ejs',
      outcome: 'safest' as const,
      pinned_version: null,
      project_folded: null,
      package_folded: 'ejs',
      package_key: 'ejs',
      created_on: 't',
      wire: '{}',
    };
    await database.db.insertInto('sealing_rules').values(rule).execute();

    const half = { ...rule, id: 2 ** 32 + 2, package_version: null };
    await expect(database.db.insertInto('sealing_rules').values(half).execute()).rejects.toThrow(/rule_subject/);
    const pinnedForAll = {
      ...rule,
      id: 2 ** 32 + 3,
      package_name: null,
      package_version: null,
      sealed_name: null,
      package_folded: null,
      package_key: null,
      outcome: 'pinned' as const,
      pinned_version: '1',
    };
    await expect(database.db.insertInto('sealing_rules').values(pinnedForAll).execute()).rejects.toThrow(
      /rule_every_package/,
    );
    const ofOtherTenant = { ...rule, id: 3 * 2 ** 32, package_version: '2.7.5' };
    await expect(database.db.insertInto('sealing_rules').values(ofOtherTenant).execute()).rejects.toThrow(/rule_id/);
  });
});
