import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { describeOnEveryDatabase } from '../../../../tests/support/databases.ts';
import type { Database } from '../database/database.ts';
import { inTransaction } from '../database/transaction.ts';
import { saveAdvisories } from './advisory-store.ts';
import { replaceComponents } from './component-store.ts';
import { insertScan } from './scan-store.ts';
import { advisoryOf } from './testing/osv-records.ts';
import { callerOf, createScene, packageList, sealOf } from './testing/scene.ts';

const ejs = { kind: 'packages', packages: [{ ecosystem: 'npm', packageName: 'ejs' }] } as const;
const seal = sealOf('ejs@1.0.0', 1, ['CVE-2026-1']);

const [earlier, later, latest] = [1, 2, 3].map((day) => `2026-11-0${day}T00:00:00.000Z`) as [string, string, string];

describeOnEveryDatabase('states of vulnerable packages', (open) => {
  test('follow a package from its advisory to its installed seal', async () => {
    await using database = await open();
    const scene = await createScene(database);
    const { acme, factsOf } = scene;
    const state = async () => Object.values(await scene.states(acme));
    await scene.importAll(acme, [advisoryOf({ id: 'CVE-2026-1', packages: ['ejs'] })]);
    await scene.scan(callerOf(acme), 'shop', packageList('ejs@1.0.0'));
    expect(await state()).toEqual(['generate_fix']);

    factsOf(acme).fixes = [
      { ecosystem: 'npm', packageName: 'ejs', originVersion: '1.0.0', status: 'building', createdOn: later },
    ];
    await scene.refresh(acme, ejs);
    expect(await state()).toEqual(['fix_in_preparation']);

    factsOf(acme).seals = [seal];
    await scene.refresh(acme, ejs);
    expect(await state()).toEqual(['seal_available']);

    factsOf(acme).ruleLeadsTo = 1;
    await scene.refresh(acme, { kind: 'rule-subject', packageName: 'ejs', projectName: 'shop' });
    expect(await state()).toEqual(['pending_deploy']);

    factsOf(acme).ruleLeadsTo = 'origin';
    await scene.refresh(acme, { kind: 'rule-subject', packageName: null, projectName: null });
    expect(await state()).toEqual(['seal_available']);

    await scene.scan(callerOf(acme), 'shop', packageList('ejs@1.0.0-sp1'));
    expect(await state()).toEqual(['sealed']);

    await scene.importAll(acme, [advisoryOf({ id: 'CVE-2026-2', packages: ['ejs'] })]);
    expect(await state()).toEqual(['fix_in_preparation']);
  });

  test('a fix or patch of another version of the package changes nothing', async () => {
    await using database = await open();
    const scene = await createScene(database);
    const { acme, factsOf } = scene;
    await scene.importAll(acme, [advisoryOf({ id: 'CVE-2026-1', packages: ['ejs'] })]);
    await scene.scan(callerOf(acme), 'shop', packageList('ejs@1.0.0', 'ejs@1.0.1'));
    factsOf(acme).fixes = [
      { ecosystem: 'npm', packageName: 'ejs', originVersion: '1.0.1', status: 'unfixable', createdOn: later },
    ];
    factsOf(acme).patches = [
      {
        ecosystem: 'npm',
        packageName: 'ejs',
        originVersion: '1.0.0',
        iteration: 1,
        identifiers: ['CVE-2026-1'],
        importedOn: later,
      },
    ];

    await scene.refresh(acme, ejs);

    expect(await scene.states(acme)).toEqual({
      'shop production ejs 1.0.0': 'generate_fix',
      'shop production ejs 1.0.1': 'unfixable',
    });
  });

  test('a patch that the last fix tried in vain leaves a package unfixable, a newer one does not', async () => {
    await using database = await open();
    const scene = await createScene(database);
    const { acme, factsOf } = scene;
    const version = { ecosystem: 'npm', packageName: 'ejs', originVersion: '1.0.0' } as const;
    const patch = { ...version, iteration: 1, identifiers: ['CVE-2026-1'] };
    await scene.importAll(acme, [advisoryOf({ id: 'CVE-2026-1', packages: ['ejs'] })]);
    await scene.scan(callerOf(acme), 'shop', packageList('ejs@1.0.0'));
    factsOf(acme).fixes = [{ ...version, status: 'unfixable', createdOn: later }];

    factsOf(acme).patches = [{ ...patch, importedOn: earlier }];
    await scene.refresh(acme, ejs);
    expect(Object.values(await scene.states(acme))).toEqual(['unfixable']);

    factsOf(acme).patches = [{ ...patch, importedOn: latest }];
    await scene.refresh(acme, ejs);
    expect(Object.values(await scene.states(acme))).toEqual(['generate_fix']);
  });

  test('a refresh touches the packages, project and tenant that it is asked for, and no other', async () => {
    await using database = await open();
    const scene = await createScene(database);
    const { acme, lookAlike, factsOf } = scene;
    await scene.importAll(scene.everybody, [advisoryOf({ id: 'CVE-2026-1', packages: ['ejs', 'lodash'] })]);
    for (const tenant of [acme, lookAlike]) {
      for (const project of ['shop', 'shop2']) {
        await scene.scan(callerOf(tenant), project, packageList('ejs@1.0.0', 'lodash@1.0.0'));
      }
      factsOf(tenant).seals = [seal, sealOf('lodash@1.0.0', 1, ['CVE-2026-1'])];
    }

    await scene.refresh(acme, { kind: 'rule-subject', packageName: 'ejs', projectName: 'shop' });

    expect(await scene.states(acme)).toEqual({
      'shop production ejs 1.0.0': 'seal_available',
      'shop production lodash 1.0.0': 'generate_fix',
      'shop2 production ejs 1.0.0': 'generate_fix',
      'shop2 production lodash 1.0.0': 'generate_fix',
    });
    expect(new Set(Object.values(await scene.states(lookAlike)))).toEqual(new Set(['generate_fix']));
    await scene.refresh(acme, { kind: 'rule-subject', packageName: null, projectName: null });
    expect(new Set(Object.values(await scene.states(acme)))).toEqual(new Set(['seal_available']));
  });

  test('a rule about a name that no ecosystem allows changes nothing', async () => {
    await using database = await open();
    const { acme, refresh, states } = await createScene(database);
    await refresh(acme, { kind: 'rule-subject', packageName: 'not a name', projectName: null });
    expect(await states(acme)).toEqual({});
  });

  test('a package that another source still reports keeps its state and the time of that source', async () => {
    await using database = await open();
    const scene = await createScene(database);
    const { acme, time } = scene;
    await scene.importAll(acme, [advisoryOf({ id: 'CVE-2026-1', packages: ['ejs'] })]);
    await scene.scan(callerOf(acme), 'shop', packageList('ejs@1.0.0'), 'api');
    time.now = '2026-11-21T11:00:00.000Z';
    await scene.scan(callerOf(acme), 'shop', packageList('ejs@1.0.0'), 'web');
    time.now = '2026-11-21T12:00:00.000Z';
    await scene.scan(callerOf(acme), 'shop', packageList('lodash@1.0.0'), 'web');

    const times = { first_seen_on: '2026-11-21T10:00:00.000Z', last_seen_on: '2026-11-21T10:00:00.000Z' };
    expect(await scene.listAll(acme)).toMatchObject([{ package_name: 'ejs', ...times }]);
    await scene.scan(callerOf(acme), 'shop', packageList('lodash@1.0.0'), 'api');
    expect(await scene.listAll(acme)).toEqual([]);
  });

  test('a package is open while one of its copies is, in whatever source', async () => {
    await using database = await open();
    const scene = await createScene(database);
    const { acme, factsOf } = scene;
    factsOf(acme).seals = [seal];
    await scene.importAll(acme, [advisoryOf({ id: 'CVE-2026-1', packages: ['ejs'] })]);
    await scene.scan(callerOf(acme), 'shop', packageList('ejs@1.0.0-sp1'), 'api');
    expect(Object.values(await scene.states(acme))).toEqual(['sealed']);

    await scene.scan(callerOf(acme), 'shop', packageList('ejs@1.0.0'), 'web');

    expect(Object.values(await scene.states(acme))).toEqual(['seal_available']);
  });

  test('the roles of a project are apart', async () => {
    await using database = await open();
    const scene = await createScene(database);
    const { acme } = scene;
    await scene.importAll(acme, [advisoryOf({ id: 'CVE-2026-1', packages: ['ejs'] })]);
    await scene.scan(callerOf(acme, 'production'), 'shop', packageList('ejs@1.0.0'));
    await scene.scan(callerOf(acme, 'development'), 'shop', packageList('ejs@2.0.0'));
    await scene.scan(callerOf(acme, 'development'), 'shop', packageList('ejs@3.0.0'));

    expect(Object.keys(await scene.states(acme))).toEqual(['shop production ejs 1.0.0', 'shop development ejs 3.0.0']);
  });

  test('a package that an advisory makes vulnerable was seen when it was scanned last', async () => {
    await using database = await open();
    const scene = await createScene(database);
    await scene.scan(callerOf(scene.acme), 'shop', packageList('ejs@1.0.0'));
    scene.time.now = '2026-11-22T10:00:00.000Z';

    await scene.importAll(scene.acme, [advisoryOf({ id: 'CVE-2026-1', packages: ['ejs'] })]);

    const seen = '2026-11-21T10:00:00.000Z';
    expect(await scene.listAll(scene.acme)).toMatchObject([{ first_seen_on: seen, last_seen_on: seen }]);
  });

  test('an import that meets a scan under way waits for it and sees what it brings', async () => {
    await using database = await open();
    const scene = await createScene(database);
    const { acme } = scene;
    const advisory = advisoryOf({ id: 'CVE-2026-1', packages: ['ejs'] });
    const subject = { projectName: 'shop', role: 'production', source: 'packages' } as const;
    const createdOn = '2026-11-21T10:00:00.000Z';
    let importing: Promise<unknown> = Promise.resolve();

    await inTransaction(database, async (transaction) => {
      const ejs100 = { ecosystem: 'npm', packageName: 'ejs', originVersion: '1.0.0', iteration: 0 } as const;
      await replaceComponents(transaction, acme, subject, [ejs100]);
      await insertScan(transaction, acme, { ...subject, id: '1', format: 'package_list', packageCount: 1, createdOn });
      await scene.refreshStates(transaction, acme, { kind: 'project', projectName: 'shop', role: 'production' });
      importing = scene.importAll(scene.everybody, [advisory]);
      await Promise.race([importing, untilOneWaits(database)]);
    });
    await importing;

    expect(Object.keys(await scene.states(acme))).toEqual(['shop production ejs 1.0.0']);
  });

  test('a scan that meets an import under way waits for it and sees what it brings', async () => {
    await using database = await open();
    const scene = await createScene(database);
    const { acme } = scene;
    let scanning: Promise<unknown> = Promise.resolve();

    await inTransaction(database, async (transaction) => {
      await saveAdvisories(transaction, acme, [advisoryOf({ id: 'CVE-2026-1', packages: ['ejs'] })]);
      await scene.refreshStates(transaction, acme, ejs);
      scanning = scene.scan(callerOf(acme), 'shop', packageList('ejs@1.0.0'));
      await Promise.race([scanning, untilOneWaits(database)]);
    });
    await scanning;

    expect(Object.keys(await scene.states(acme))).toEqual(['shop production ejs 1.0.0']);
  });
});

/** Until a transaction waits for a lock; where a database runs one transaction at a time, every other one waits. */
async function untilOneWaits({ db, capabilities }: Database): Promise<void> {
  if (!capabilities.skipLocked) return;
  const query = sql<{ waiting: number }>`
    select count(*) as waiting from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  for (let attempt = 0; attempt < 10_000; attempt++) {
    const { rows } = await query.execute(db);
    if (rows[0]?.waiting) return;
  }
  throw new Error('no transaction came to wait');
}
