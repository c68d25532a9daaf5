import { expect, test, vi } from 'vitest';
import { describeOnEveryDatabase } from '../../../../tests/support/databases.ts';
import type { Database } from '../database/database.ts';
import { tenantScope } from '../platform/tenancy.ts';
import { createPullRecorder } from './pull-recorder.ts';

const ours = tenantScope(1);
const theirs = tenantScope(2);
const pull = { projectName: 'storefront', ecosystem: 'npm', packageName: 'ejs', packageVersion: '2.7.4-sp1' } as const;

function createRecorder(
  database: Database,
  onError: (error: unknown) => void = (error) => expect.unreachable(String(error)),
) {
  let seconds = 0;
  const clock = { now: () => new Date(Date.UTC(2026, 10, 21, 12, 0, seconds++)) };
  return createPullRecorder({ database, clock, onError });
}

function rows({ db }: Database) {
  return db
    .selectFrom('pulls')
    .selectAll()
    .orderBy('tenant_id')
    .orderBy('project_name')
    .orderBy('package_version')
    .execute();
}

describeOnEveryDatabase('the pull recorder', (open) => {
  test('adds up the pulls of a tenant, project and version over several flushes', async () => {
    await using database = await open();
    for (let round = 1; round <= 2; round++) {
      await using recorder = createRecorder(database);
      recorder.record(ours, pull);
      recorder.record(theirs, pull);
      recorder.record(ours, pull);
      recorder.record(ours, { ...pull, projectName: '' });
    }
    const found = await rows(database);
    expect(found.map((row) => [row.tenant_id, row.project_name, row.pull_count])).toEqual([
      [1, '', 2],
      [1, 'storefront', 4],
      [2, 'storefront', 2],
    ]);
    expect(found[1]).toMatchObject({ first_on: '2026-11-21T12:00:00.000Z', last_on: '2026-11-21T12:00:02.000Z' });
  });

  test('writes more versions than one statement has parameters for', async () => {
    await using database = await open();
    {
      await using recorder = createRecorder(database);
      for (let n = 0; n < 5_000; n++) recorder.record(ours, { ...pull, packageVersion: `1.0.${n}` });
    }
    expect(await rows(database)).toHaveLength(5_000);
  });
});

describeOnEveryDatabase('a pull recorder in time', (open) => {
  test('writes within a second, and keeps what it could not write for the next time', async () => {
    await using database = await open();
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const errors: unknown[] = [];
    const written = Promise.withResolvers<void>();
    let fails = true;
    const flaky: Database = {
      ...database,
      db: new Proxy(database.db, {
        get: (target, property) => {
          if (property === 'transaction' && fails) throw new Error('the database is away');
          if (property === 'transaction') written.resolve();
          const value = Reflect.get(target, property);
          return typeof value === 'function' ? value.bind(target) : value;
        },
      }),
    };
    const recorder = createRecorder(flaky, (error) => errors.push(error));
    try {
      recorder.record(ours, pull);
      await vi.advanceTimersByTimeAsync(1_000);
      await vi.waitFor(() => expect(errors).toHaveLength(1));
      fails = false;
      recorder.record(ours, pull);
      await vi.advanceTimersByTimeAsync(1_000);
      await written.promise;
    } finally {
      vi.useRealTimers();
      await recorder[Symbol.asyncDispose]();
    }
    expect((await rows(database)).map((row) => row.pull_count)).toEqual([2]);
  });
});
