import { expect, test } from 'vitest';
import { describeOnEveryDatabase } from '../../../../tests/support/databases.ts';
import { createTestClock } from '../../../../tests/support/test-clock.ts';
import type { Database } from '../database/database.ts';
import type { RouteReply } from '../platform/http/route.ts';
import { tenantScope } from '../platform/tenancy.ts';
import { createIdempotencyGuard } from './idempotency.ts';

const request = { key: 'retry-1', method: 'POST', path: '/projects', body: { name: 'storefront' } };
const [acme, lookAlike] = [tenantScope(1), tenantScope(2)];

function sceneOn(database: Database) {
  const clock = createTestClock();
  const guard = createIdempotencyGuard({ database, clock, onError: () => {} });
  let runs = 0;
  const work = async (): Promise<RouteReply> => {
    runs += 1;
    return { status: 201, body: { run: runs }, headers: { location: `/projects/${runs}`, 'x-other': '1' } };
  };
  return { clock, guard, work, runs: () => runs };
}

describeOnEveryDatabase('requests with an idempotency key', (open) => {
  test('a repetition gets the first answer and is not run', async () => {
    await using database = await open();
    const { guard, work, runs } = sceneOn(database);
    const first = await guard.run(acme, request, work);
    const again = await guard.run(acme, request, work);
    expect(first).toMatchObject({ status: 201, body: { run: 1 } });
    expect(again).toEqual({
      status: 201,
      body: { run: 1 },
      headers: { location: '/projects/1', 'idempotent-replayed': 'true' },
    });
    expect(runs()).toBe(1);
  });

  test.each([
    ['method', { method: 'PUT' }],
    ['path', { path: '/projects?x=1' }],
    ['body', { body: { name: 'warehouse' } }],
  ])('another %s under the same key is refused', async (_, change) => {
    await using database = await open();
    const { guard, work, runs } = sceneOn(database);
    await guard.run(acme, request, work);
    await expect(guard.run(acme, { ...request, ...change }, work)).rejects.toMatchObject({
      code: 'idempotency_key_reused',
    });
    expect(runs()).toBe(1);
  });

  test('of many at the same time one is run, the others are told that it is under way or get its answer', async () => {
    await using database = await open();
    const { guard, work, runs } = sceneOn(database);
    const results = await Promise.allSettled(Array.from({ length: 10 }, () => guard.run(acme, request, work)));
    expect(runs()).toBe(1);
    for (const result of results) {
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'idempotency_key_in_use' });
      else expect(result.value.body).toEqual({ run: 1 });
    }
  });

  test('the key of another tenant is another key', async () => {
    await using database = await open();
    const { guard, work, runs } = sceneOn(database);
    await guard.run(acme, request, work);
    expect(await guard.run(lookAlike, request, work)).toMatchObject({ body: { run: 2 } });
    expect(runs()).toBe(2);
  });

  test('what failed may be tried again under its key', async () => {
    await using database = await open();
    const { guard, work } = sceneOn(database);
    await expect(guard.run(acme, request, () => Promise.reject(new Error('down')))).rejects.toThrow('down');
    expect(await guard.run(acme, request, work)).toMatchObject({ status: 201, body: { run: 1 } });
  });

  test('a key is free again after a day, and one whose process died after a minute', async () => {
    await using database = await open();
    const { guard, work, clock } = sceneOn(database);
    await guard.run(acme, request, work);
    clock.advance(24 * 60 * 60_000);
    expect((await guard.run(acme, request, work)).headers).toHaveProperty('idempotent-replayed');
    clock.advance(1);
    expect(await guard.run(acme, request, work)).toMatchObject({ body: { run: 2 } });

    await database.db.updateTable('idempotency_keys').set({ status: null }).execute();
    clock.advance(60_000);
    await expect(guard.run(acme, request, work)).rejects.toMatchObject({ code: 'idempotency_key_in_use' });
    clock.advance(1);
    expect(await guard.run(acme, request, work)).toMatchObject({ body: { run: 3 } });
  });

  test('a key that is none is refused before anything is done', async () => {
    await using database = await open();
    const { guard, work, runs } = sceneOn(database);
    for (const key of ['', 'k'.repeat(256), 'a b', 'ä', 'a\u0000']) {
      await expect(guard.run(acme, { ...request, key }, work)).rejects.toMatchObject({ code: 'invalid_parameter' });
    }
    expect(runs()).toBe(0);
  });
});
