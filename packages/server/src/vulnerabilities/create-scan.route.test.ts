import { expect, test } from 'vitest';
import { describeOnEveryDatabase } from '../../../../tests/support/databases.ts';
import { advisoryOf } from './testing/osv-records.ts';
import { callerOf, createScene, packageList, sealOf } from './testing/scene.ts';
import { setHidden } from './vulnerable-package-store.ts';

describeOnEveryDatabase('scanning a project', (open) => {
  test('answers the counts and the vulnerable packages that this scan saw', async () => {
    await using database = await open();
    const scene = await createScene(database);
    const { acme } = scene;
    await scene.importAll(acme, [advisoryOf({ id: 'CVE-2026-1', packages: ['ejs', 'lodash'], severity: 'HIGH' })]);
    await scene.scan(callerOf(acme), 'shop', packageList('lodash@1.0.0'), 'other');

    const result = await scene.scan(callerOf(acme), 'shop', packageList('ejs@2.7.4', 'ejs@2.7.4', 'clean@1.0.0'));

    expect(result).toMatchObject({
      project_name: 'shop',
      source: 'packages',
      format: 'package_list',
      package_count: 2,
      vulnerable_package_count: 1,
      created_on: '2026-11-21T10:00:00.000Z',
      problems: [],
    });
    expect(result.vulnerable_packages).toEqual([
      {
        package_name: 'ejs',
        package_version: '2.7.4',
        ecosystem: 'NPM',
        project_name: 'shop',
        fix_availability: 'generate_fix',
        sealed_package_name: null,
        sealed_package_version: null,
        vulnerabilities: [
          { identifier: 'CVE-2026-1', aliases: [], severity: 'high', cvss_score: null, state: 'open', sealed_by: null },
        ],
        is_hidden: false,
        access_token_role: 'Production',
        first_seen_on: '2026-11-21T10:00:00.000Z',
        last_seen_on: '2026-11-21T10:00:00.000Z',
      },
    ]);
  });

  test('a scan replaces what the same source reported before; what was hidden stays hidden', async () => {
    await using database = await open();
    const scene = await createScene(database);
    const { acme, lookAlike, time } = scene;
    await scene.importAll(scene.everybody, [advisoryOf({ id: 'CVE-2026-1', packages: ['ejs', 'lodash'] })]);
    for (const tenant of [acme, lookAlike]) {
      await scene.scan(callerOf(tenant), 'shop', packageList('ejs@1.0.0', 'lodash@1.0.0'));
    }
    const key = {
      projectName: 'shop',
      role: 'production',
      ecosystem: 'npm',
      packageName: 'ejs',
      originVersion: '1.0.0',
    } as const;
    await setHidden(database.db, acme, key, true);
    time.now = '2026-11-22T10:00:00.000Z';

    await scene.scan(callerOf(acme), 'shop', packageList('ejs@1.0.0'));

    expect(await scene.listAll(acme)).toMatchObject([
      {
        package_name: 'ejs',
        is_hidden: true,
        first_seen_on: '2026-11-21T10:00:00.000Z',
        last_seen_on: '2026-11-22T10:00:00.000Z',
      },
    ]);
    expect(await scene.listAll(lookAlike)).toMatchObject([
      { package_name: 'ejs', is_hidden: false },
      { package_name: 'lodash', is_hidden: false },
    ]);
  });

  test('a sealed version counts as its origin, by its spelling or by its bytes', async () => {
    await using database = await open();
    const scene = await createScene(database);
    const { acme, lookAlike, factsOf } = scene;
    const sealed = sealOf('ejs@2.7.4', 1, ['CVE-2026-1']);
    factsOf(acme).seals = [sealed];
    await scene.importAll(scene.everybody, [advisoryOf({ id: 'CVE-2026-1', packages: ['ejs'] })]);
    const lock = {
      lockfileVersion: 3,
      packages: {
        '': { dependencies: { ejs: '^2.0.0' } },
        'node_modules/ejs': { version: '2.7.4', integrity: `sha1-x ${sealed.integrity}` },
      },
    };

    const byBytes = await scene.scan(callerOf(acme), 'shop', lock);
    const bySpelling = await scene.scan(callerOf(acme), 'shop', packageList('ejs@2.7.4-sp1'));
    const foreign = await scene.scan(callerOf(lookAlike), 'shop', lock);

    const expected = { package_version: '2.7.4', fix_availability: 'sealed', sealed_package_version: '2.7.4-sp1' };
    expect(byBytes).toMatchObject({
      source: 'package-lock.json',
      format: 'package_lock',
      vulnerable_packages: [expected],
    });
    expect(bySpelling.vulnerable_packages).toMatchObject([expected]);
    expect(foreign.vulnerable_packages).toMatchObject([
      { fix_availability: 'generate_fix', sealed_package_version: null },
    ]);
  });

  test('what is spelt like a sealed version and has other bytes is not sealed', async () => {
    await using database = await open();
    const scene = await createScene(database);
    const { acme, factsOf } = scene;
    factsOf(acme).seals = [sealOf('ejs@2.7.4', 1, ['CVE-2026-1'])];
    await scene.importAll(scene.everybody, [advisoryOf({ id: 'CVE-2026-1', packages: ['ejs'] })]);
    const [item] = packageList('ejs@2.7.4-sp1').packages;

    const foreign = { packages: [{ ...(item as object), integrity: 'sha512-foreign' }] };
    const result = await scene.scan(callerOf(acme), 'shop', foreign);

    expect(result.vulnerable_packages).toMatchObject([
      { package_version: '2.7.4', fix_availability: 'seal_available' },
    ]);
  });

  test('a project that is not there yet is created, once, and every scan is audited', async () => {
    await using database = await open();
    const scene = await createScene(database);
    await scene.scan(callerOf(scene.acme), 'shop', packageList('ejs@1.0.0'));
    scene.time.now = '2026-11-22T10:00:00.000Z';
    await scene.scan(callerOf(scene.acme), 'shop', packageList());

    const entries = await database.db.selectFrom('audit_entries').select(['tenant_id', 'action', 'subject']).execute();
    const ofShop = { tenant_id: scene.acme.tenantId, subject: 'shop' };
    expect(entries.sort((a, b) => (a.action < b.action ? -1 : 1))).toEqual([
      { ...ofShop, action: 'project.created' },
      { ...ofShop, action: 'scan.created' },
      { ...ofShop, action: 'scan.created' },
    ]);
  });

  test('of scans of one source at the same time, one counts whole and nothing of the others stays', async () => {
    await using database = await open();
    const scene = await createScene(database);
    const lists = ['ejs@1.0.0', 'ejs@2.0.0', 'ejs@3.0.0', 'ejs@1.0.0'].map((text) => packageList(text, 'qs@1.0.0'));

    const results = await Promise.all(lists.map((list) => scene.scan(callerOf(scene.acme), 'shop', list)));

    expect(results.map(({ package_count }) => package_count)).toEqual([2, 2, 2, 2]);
    const components = await database.db
      .selectFrom('components')
      .select('package_name')
      .orderBy('package_name')
      .execute();
    expect(components).toEqual([{ package_name: 'ejs' }, { package_name: 'qs' }]);
  });

  test('a digest that is no text of one line is none', async () => {
    await using database = await open();
    const scene = await createScene(database);
    const [item] = packageList('ejs@1.0.0').packages;

    const result = await scene.scan(callerOf(scene.acme), 'shop', {
      packages: [{ ...(item as object), integrity: 'sha512-\0' }],
    });

    expect(result).toMatchObject({ package_count: 1, problems: [] });
  });

  test('what fails leaves nothing behind', async () => {
    await using database = await open();
    const scene = await createScene(database);
    const scanning = scene.scan(callerOf(scene.acme), 'shop', { packages: 'all' });
    await expect(scanning).rejects.toMatchObject({ code: 'invalid_manifest' });

    expect(await database.db.selectFrom('projects').selectAll().execute()).toEqual([]);
  });
});
