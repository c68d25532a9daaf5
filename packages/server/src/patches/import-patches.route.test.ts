import type { ImportReport } from '@sealsmith/contract';
import { expect, test } from 'vitest';
import { describeOnEveryDatabase } from '../../../../tests/support/databases.ts';
import { sharedTenantId } from '../database/schema.ts';
import { callRoute } from '../fixes/testing/call-route.ts';
import {
  acme,
  createTestClock,
  lookAlike,
  templatePatch,
  templatePatchSet,
  templateVersion,
} from '../fixes/testing/catalog.ts';
import { tenantScope } from '../platform/tenancy.ts';
import { importPatchSets } from './import-patch-sets.ts';
import { importPatchesRoute } from './import-patches.route.ts';
import { findBestPatchSet } from './patch-set-store.ts';

const wireSet = {
  ecosystem: 'NPM',
  package_name: 'plain-template',
  package_version: '1.4.2',
  iteration: 1,
  readme: null,
  patches: [{ file_name: '0001-CVE-2026-1000.patch', text: templatePatch }],
};

describeOnEveryDatabase('importing patches', (open) => {
  async function start() {
    const database = await open();
    const refreshed: number[] = [];
    const deps = {
      database,
      clock: createTestClock(),
      refresh: async (_transaction: unknown, { tenantId }: { tenantId: number }) => void refreshed.push(tenantId),
      listTenants: async () => [acme, lookAlike],
    };
    const route = importPatchesRoute(deps);
    return {
      database,
      deps,
      refreshed,
      post: async (patchSets: unknown[]) =>
        (await callRoute(route, { body: { patch_sets: patchSets } })).body as ImportReport,
      [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
    };
  }

  test('takes the set over with the identifiers that its patches name, for this tenant only', async () => {
    await using service = await start();
    expect(await service.post([wireSet])).toEqual({ imported: 1, unchanged: 0, skipped: 0, problems: [] });

    const best = await findBestPatchSet(service.database.db, acme, templateVersion);
    expect(best?.patches).toEqual(templatePatchSet.patches);
    expect(await findBestPatchSet(service.database.db, lookAlike, templateVersion)).toBeNull();
    expect(service.refreshed).toEqual([acme.tenantId]);
  });

  test('is idempotent, and only what changed is audited', async () => {
    await using service = await start();
    await service.post([wireSet]);
    expect(await service.post([wireSet])).toEqual({ imported: 0, unchanged: 1, skipped: 0, problems: [] });
    expect(service.refreshed).toEqual([acme.tenantId]);

    const audit = await service.database.db
      .selectFrom('audit_entries')
      .select(['actor', 'action', 'subject'])
      .execute();
    expect(audit).toEqual([{ actor: 'token-1', action: 'patches.imported', subject: 'npm plain-template 1.4.2' }]);
  });

  test('one bad set is named with its place and does not keep the others out', async () => {
    await using service = await start();
    const report = await service.post([{ ...wireSet, iteration: 0 }, 'nonsense', wireSet]);
    expect(report).toMatchObject({ imported: 1, skipped: 2 });
    expect(report.problems.map(({ name }) => name)).toEqual(['patch_sets.0.iteration', 'patch_sets.1']);
  });

  test.each([
    ['a name that the ecosystem does not allow', { package_name: 'a/b/c' }, 'a/b/c'],
    ['a version that is none', { package_version: 'latest' }, 'latest'],
    ['a version that is sealed already', { package_version: '1.4.2-sp1' }, '1.4.2-sp1'],
    [
      'a file name that leads out of its folder',
      { patches: [{ file_name: '0001-../../x.patch', text: templatePatch }] },
      '0001-',
    ],
    ['a file name without a number', { patches: [{ file_name: 'fix.patch', text: templatePatch }] }, 'fix.patch'],
    ['a text that is no patch', { patches: [{ file_name: '0001-CVE-2026-1.patch', text: 'hello' }] }, 'cannot be read'],
    [
      'a patch that names no vulnerability',
      { patches: [{ file_name: '0001-fix.patch', text: templatePatch.replace('GHSA-2222-3333-4444', 'a bug') }] },
      'names no vulnerability',
    ],
    [
      'two patches of one number',
      {
        patches: [
          { file_name: '0001-a.patch', text: templatePatch },
          { file_name: '0001-b.patch', text: templatePatch },
        ],
      },
      'same number',
    ],
  ])('%s is a problem', async (_name, change, reason) => {
    await using service = await start();
    const report = await service.post([{ ...wireSet, ...change }]);
    expect(report).toMatchObject({ imported: 0, skipped: 1 });
    expect(report.problems[0]).toMatchObject({ name: 'patch_sets.0', reason: expect.stringContaining(reason) });
  });

  test('patches are kept in the order of their numbers', async () => {
    await using service = await start();
    const files = ['0010-c.patch', '0002-b.patch', '0001-a.patch'].map((name) => ({
      file_name: name,
      text: templatePatch,
    }));
    await service.post([{ ...wireSet, patches: files }]);
    const best = await findBestPatchSet(service.database.db, acme, templateVersion);
    expect(best?.patches.map(({ fileName }) => fileName)).toEqual(['0001-a.patch', '0002-b.patch', '0010-c.patch']);
  });

  test("what the operator imports changes every tenant's states", async () => {
    await using service = await start();
    const operator = { ...tenantScope(sharedTenantId), actor: 'operator' };
    const report = await importPatchSets(service.deps, operator, listOf(templatePatchSet));
    expect(report).toMatchObject({ imported: 1 });
    expect(service.refreshed).toEqual([1, 2]);
    expect(await findBestPatchSet(service.database.db, lookAlike, templateVersion)).not.toBeNull();
  });

  test('a set whose states cannot be brought up to date is not imported', async () => {
    await using service = await start();
    const refresh = async () => {
      throw new Error('broken');
    };
    const importer = { ...acme, actor: 'token-1' };
    const importing = importPatchSets({ ...service.deps, refresh }, importer, listOf(templatePatchSet));
    await expect(importing).rejects.toThrow('broken');
    expect(await findBestPatchSet(service.database.db, acme, templateVersion)).toBeNull();
  });
});

async function* listOf<Item>(...items: Item[]) {
  yield* items;
}
