import { expect, test } from 'vitest';
import { describeOnEveryDatabase } from '../../../../tests/support/databases.ts';
import { findAdvisoriesByIdentifier } from './advisory-store.ts';
import { importAdvisories } from './import-advisories.ts';
import { advisoryOf } from './testing/osv-records.ts';
import { callerOf, createScene, packageList } from './testing/scene.ts';

const later = '2026-02-01T00:00:00Z';

describeOnEveryDatabase('importing advisories', (open) => {
  test('importing the same again changes nothing', async () => {
    await using database = await open();
    const { acme, importAll } = await createScene(database);
    const records = Array.from({ length: 1_003 }, (_, n) =>
      advisoryOf({ id: `CVE-2026-${n}`, packages: [`p${n % 7}`] }),
    );

    expect(await importAll(acme, records)).toEqual({ imported: 1_003, unchanged: 0, skipped: 0, problems: [] });
    expect(await importAll(acme, records)).toEqual({ imported: 0, unchanged: 1_003, skipped: 0, problems: [] });
    const older = advisoryOf({ id: 'CVE-2026-1', modified: '2025-01-01T00:00:00Z' });
    expect(await importAll(acme, [older])).toMatchObject({ imported: 0, unchanged: 1 });
  });

  test('a newer record replaces its aliases and packages', async () => {
    await using database = await open();
    const { acme, importAll, scan, states } = await createScene(database);
    await scan(callerOf(acme), 'shop', packageList('ejs@1.0.0', 'lodash@1.0.0'));
    await importAll(acme, [advisoryOf({ id: 'GHSA-a', aliases: ['CVE-2026-1'], packages: ['ejs'] })]);
    expect(await states(acme)).toEqual({ 'shop production ejs 1.0.0': 'generate_fix' });

    await importAll(acme, [
      advisoryOf({ id: 'GHSA-a', modified: later, aliases: ['CVE-2026-2'], packages: ['lodash'] }),
    ]);

    expect(await states(acme)).toEqual({ 'shop production lodash 1.0.0': 'generate_fix' });
    expect(await findAdvisoriesByIdentifier(database.db, acme, 'CVE-2026-1')).toEqual([]);
    expect(await findAdvisoriesByIdentifier(database.db, acme, 'CVE-2026-2')).toHaveLength(1);
  });

  test('of several records of one id in one import the newest stays', async () => {
    await using database = await open();
    const { acme, importAll } = await createScene(database);
    const report = await importAll(acme, [
      advisoryOf({ id: 'CVE-2026-1', aliases: ['A-1'] }),
      advisoryOf({ id: 'CVE-2026-1', modified: later, aliases: ['A-2'] }),
      advisoryOf({ id: 'CVE-2026-1', aliases: ['A-3'] }),
    ]);

    expect(report).toMatchObject({ imported: 2, unchanged: 1 });
    const [stored] = await findAdvisoriesByIdentifier(database.db, acme, 'CVE-2026-1');
    expect(stored?.aliases).toEqual(['A-2']);
  });

  test('a record that is as old as the shared one is unchanged; a newer one becomes the own of the tenant alone', async () => {
    await using database = await open();
    const { acme, lookAlike, everybody, importAll, scan, states } = await createScene(database);
    for (const tenant of [acme, lookAlike]) await scan(callerOf(tenant), 'shop', packageList('ejs@1.0.0'));
    await importAll(everybody, [advisoryOf({ id: 'CVE-2026-1', packages: ['ejs'] })]);

    expect(await importAll(acme, [advisoryOf({ id: 'CVE-2026-1', packages: [] })])).toMatchObject({ unchanged: 1 });
    expect(Object.keys(await states(acme))).toHaveLength(1);
    await importAll(acme, [advisoryOf({ id: 'CVE-2026-1', modified: later, withdrawn: later, packages: ['ejs'] })]);

    expect(await states(acme)).toEqual({});
    expect(Object.keys(await states(lookAlike))).toHaveLength(1);
  });

  test("an operator's import brings the states of every tenant up to date, a tenant's only its own", async () => {
    await using database = await open();
    const { acme, lookAlike, everybody, importAll, scan, states } = await createScene(database);
    for (const tenant of [acme, lookAlike])
      await scan(callerOf(tenant), 'shop', packageList('ejs@1.0.0', 'lodash@1.0.0'));

    await importAll(everybody, [advisoryOf({ id: 'CVE-2026-1', packages: ['ejs'] })]);
    await importAll(acme, [advisoryOf({ id: 'CVE-2026-2', packages: ['lodash'] })]);

    expect(Object.keys(await states(acme))).toHaveLength(2);
    expect(await states(lookAlike)).toEqual({ 'shop production ejs 1.0.0': 'generate_fix' });
  });

  test('a withdrawn advisory takes its vulnerable packages away', async () => {
    await using database = await open();
    const { acme, importAll, scan, states } = await createScene(database);
    await importAll(acme, [advisoryOf({ id: 'CVE-2026-1', packages: ['ejs'] })]);
    await scan(callerOf(acme), 'shop', packageList('ejs@1.0.0'));
    expect(Object.keys(await states(acme))).toHaveLength(1);

    await importAll(acme, [advisoryOf({ id: 'CVE-2026-1', modified: later, withdrawn: later, packages: ['ejs'] })]);

    expect(await states(acme)).toEqual({});
  });

  test('a bad record is named with its reason, and the first thousand of very many', async () => {
    await using database = await open();
    const { acme, importAll } = await createScene(database);
    const bad = Array.from({ length: 1_500 }, (_, n) => ({ name: `all.zip/${n}.json`, problem: 'id: is missing' }));

    const report = await importAll(acme, [...bad, advisoryOf({ id: 'CVE-2026-1' })]);

    expect(report).toMatchObject({ imported: 1, skipped: 1_500 });
    expect(report.problems).toHaveLength(1_000);
    expect(report.problems[0]).toEqual({ name: 'all.zip/0.json', reason: 'id: is missing' });
  });

  test('what was taken over before the source failed stays, and progress told of it', async () => {
    await using database = await open();
    const { acme, refreshStates } = await createScene(database);
    const progress: number[] = [];
    const failing = async function* () {
      for (let n = 0; n < 700; n++) yield { name: `${n}`, record: advisoryOf({ id: `CVE-2026-${n}` }) };
      throw new Error('the connection broke');
    };

    const importing = importAdvisories({ database, refreshStates }, acme, failing(), ({ imported }) =>
      progress.push(imported),
    );

    await expect(importing).rejects.toThrow('the connection broke');
    expect(progress).toEqual([500]);
    const { count } = await database.db
      .selectFrom('advisories')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    expect(count).toBe(500);
  });

  test('two imports of the same records at once leave each record once', async () => {
    await using database = await open();
    const { acme, importAll } = await createScene(database);
    const records = Array.from({ length: 60 }, (_, n) => advisoryOf({ id: `CVE-2026-${n}`, packages: ['ejs'] }));

    const reports = await Promise.all([importAll(acme, records), importAll(acme, records.toReversed())]);

    expect(reports.reduce((sum, { imported, unchanged }) => sum + imported + unchanged, 0)).toBe(120);
    const rows = await database.db.selectFrom('advisory_packages').select('advisory_id').execute();
    expect(rows).toHaveLength(60);
  });
});
