import { randomBytes } from 'node:crypto';
import { endpoints, type VulnerablePackage } from '@sealsmith/contract';
import { expect, test } from 'vitest';
import { describeOnEveryDatabase } from '../../../../tests/support/databases.ts';
import { createCursorCodec } from '../platform/http/cursor.ts';
import { queryParser } from '../platform/http/input.ts';
import type { Caller } from '../platform/tenancy.ts';
import { listVulnerablePackagesRoute } from './list-vulnerable-packages.route.ts';
import { setVulnerablePackageHiddenRoute } from './set-vulnerable-package-hidden.route.ts';
import { advisoryOf } from './testing/osv-records.ts';
import { callerOf, contextOf, createScene, packageList, type Scene } from './testing/scene.ts';

interface Page {
  items: VulnerablePackage[];
  next_page: string | null;
}

const parseQuery = queryParser(endpoints.listVulnerablePackages.query);

function createList({ database }: Scene) {
  const route = listVulnerablePackagesRoute({ database, cursors: createCursorCodec(randomBytes(32)) });
  return async (caller: Caller, query: Record<string, string> = {}): Promise<Page> => {
    const { body } = await route.handle({ params: {}, query: parseQuery(query), body: undefined }, contextOf(caller));
    return body as Page;
  };
}

function hide(scene: Scene, caller: Caller, fields: Record<string, unknown>) {
  const { database, clock } = scene;
  const body = endpoints.setVulnerablePackageHidden.body.schema.parse(fields);
  const input = { params: {}, query: {}, body };
  return setVulnerablePackageHiddenRoute({ database, clock }).handle(input as never, contextOf(caller));
}

async function createShop(scene: Scene) {
  const { acme, everybody } = scene;
  const packages = ['ejs', 'lodash', 'sure_thing', 'Upper'];
  await scene.importAll(everybody, [advisoryOf({ id: 'CVE-2026-1', packages })]);
  await scene.importAll(everybody, [
    advisoryOf({ id: 'PYSEC-1', ecosystem: 'PyPI', packages: ['ejs'], versions: ['1.0'] }),
  ]);
  const list = packageList(...packages.map((name) => `${name}@1.0.0`)).packages;
  const python = { ecosystem: 'PyPI', package_name: 'ejs', package_version: '1.0' };
  await scene.scan(callerOf(acme), 'Shop', [...list, python]);
  await scene.scan(callerOf(acme), 'depot', packageList('ejs@1.0.0'));
  await scene.scan(callerOf(acme, 'development'), 'depot', packageList('ejs@2.0.0'));
}

describeOnEveryDatabase('the list of vulnerable packages', (open) => {
  test('shows what tokens for production reported of the tenant and what is not hidden', async () => {
    await using database = await open();
    const scene = await createScene(database);
    await createShop(scene);
    const list = createList(scene);

    expect((await list(callerOf(scene.acme))).items).toHaveLength(6);
    expect((await list(callerOf(scene.acme))).next_page).toBeNull();
    expect((await list(callerOf(scene.lookAlike))).items).toEqual([]);
    const development = await list(callerOf(scene.acme), { access_token_role: 'development' });
    expect(development.items).toMatchObject([{ package_version: '2.0.0', access_token_role: 'Development' }]);
  });

  const filters: [string, Record<string, string>, number][] = [
    ['part of a package name, without regard to case', { package_name_contains: 'UPPER' }, 1],
    ['the empty text, which every name contains', { package_name_contains: '', project_name_filter: '' }, 6],
    ['%, which is a plain character', { package_name_contains: '%' }, 0],
    ['_, which is a plain character', { package_name_contains: '_' }, 1],
    ['part of a project name', { project_name_filter: 'sHO' }, 5],
    ['both', { package_name_contains: 'ejs', project_name_filter: 'depot' }, 1],
    ['the ecosystem', { ecosystem: 'pypi' }, 1],
    ['the state', { fix_availability: 'generate_fix' }, 6],
    ['another state', { fix_availability: 'sealed' }, 0],
    ['hidden ones', { is_hidden: 'true' }, 0],
  ];
  test.each(filters)('is filtered by %s', async (_by, query, count) => {
    await using database = await open();
    const scene = await createScene(database);
    await createShop(scene);

    expect((await createList(scene)(callerOf(scene.acme), query)).items).toHaveLength(count);
  });

  test('pages neither skip nor repeat while rows are added, deleted and changed', async () => {
    await using database = await open();
    const scene = await createScene(database);
    const list = createList(scene);
    const caller = callerOf(scene.acme);
    const names = Array.from({ length: 23 }, (_, n) => `package-${n}`);
    await scene.importAll(scene.acme, [
      advisoryOf({ id: 'CVE-2026-1', packages: [...names, 'new-1', 'new-2', 'new-3'] }),
    ]);
    await scene.scan(caller, 'shop', packageList(...names.map((name) => `${name}@1.0.0`)));

    const seen: string[] = [];
    let cursor: string | null = null;
    for (let page = 1; page <= 20; page++) {
      const { items, next_page }: Page = await list(caller, {
        limit: `${4 + page}`,
        ...(cursor !== null && { cursor }),
      });
      seen.push(...items.map((item) => item.package_name));
      if (page <= 3) await scene.scan(caller, `other-${page}`, packageList(`new-${page}@1.0.0`));
      await scene.scan(caller, 'shop', packageList(...names.slice(page === 1 ? 1 : 0).map((name) => `${name}@1.0.0`)));
      cursor = next_page;
      if (cursor === null) break;
    }

    expect(cursor).toBeNull();
    // package-0 vanished after the first page and came back as a new row.
    expect(seen.toSorted()).toEqual([...names, 'package-0', 'new-1', 'new-2', 'new-3'].sort());
  });

  test('a cursor is worth nothing under other filters or for another tenant; the limit may change', async () => {
    await using database = await open();
    const scene = await createScene(database);
    await createShop(scene);
    const list = createList(scene);
    const caller = callerOf(scene.acme);
    const { next_page } = await list(caller, { limit: '1' });
    const cursor = String(next_page);

    expect((await list(caller, { limit: '200', cursor })).items).toHaveLength(5);
    const foreign = { code: 'invalid_cursor' };
    await expect(list(caller, { cursor, package_name_contains: 'e' })).rejects.toMatchObject(foreign);
    await expect(list(caller, { cursor, is_hidden: 'true' })).rejects.toMatchObject(foreign);
    await expect(list(callerOf(scene.lookAlike), { cursor })).rejects.toMatchObject(foreign);
  });

  test('hiding a package moves it to the hidden ones and back, audited', async () => {
    await using database = await open();
    const scene = await createScene(database);
    await createShop(scene);
    const list = createList(scene);
    const caller = callerOf(scene.acme);
    const ejs = { project_name: 'Shop', ecosystem: 'npm', package_name: 'ejs', package_version: '1.0.0-sp1' };

    const { status, body } = await hide(scene, caller, { ...ejs, is_hidden: true });

    expect({ status, body }).toMatchObject({ status: 200, body: { package_name: 'ejs', is_hidden: true } });
    expect((await list(caller, { is_hidden: 'true' })).items).toEqual([body]);
    expect((await list(caller)).items).toHaveLength(5);
    await hide(scene, caller, { ...ejs, is_hidden: false });
    expect((await list(caller)).items).toHaveLength(6);
    const audited = await database.db.selectFrom('audit_entries').select('action').orderBy('id').execute();
    expect(audited.map(({ action }) => action)).toEqual(
      expect.arrayContaining(['vulnerable_package.hidden', 'vulnerable_package.shown']),
    );
  });

  test("another tenant's package is as unknown as none", async () => {
    await using database = await open();
    const scene = await createScene(database);
    await createShop(scene);
    const target = { project_name: 'Shop', ecosystem: 'npm', package_version: '1.0.0', is_hidden: true };
    const detailOf = (caller: Caller, name: string) =>
      hide(scene, caller, { ...target, package_name: name }).then(
        () => 'hidden',
        (error) => `${error.code} ${error.detail.replace(name, 'NAME')}`,
      );

    const unknown = await detailOf(callerOf(scene.lookAlike), 'nowhere');
    expect(unknown).toContain('not_found');
    expect(await detailOf(callerOf(scene.lookAlike), 'ejs')).toBe(unknown);
    expect(await detailOf(callerOf(scene.acme), 'not a name')).toBe(unknown);
    expect((await createList(scene)(callerOf(scene.acme))).items).toHaveLength(6);
  });
});
