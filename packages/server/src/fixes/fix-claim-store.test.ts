import { expect, test } from 'vitest';
import { describeOnEveryDatabase } from '../../../../tests/support/databases.ts';
import { claimFix, type FixEnd, finishFix, renewLease, requeueFix } from './fix-claim-store.ts';
import { createFix, findFix } from './fix-store.ts';
import { acme, createTestClock, lookAlike, templateVersion } from './testing/catalog.ts';

const request = { ...templateVersion, requestedIdentifiers: [] };
const lease = { workerId: 'worker-a', leaseMs: 60_000 };
const rival = { workerId: 'worker-b', leaseMs: 60_000 };
const end: FixEnd = { status: 'failed', reason: 'r', sealedVersion: null, closedIdentifiers: [], report: null };

describeOnEveryDatabase('claims', (open) => {
  test('the oldest fix of all tenants comes first and brings its tenant', async () => {
    await using database = await open();
    const clock = createTestClock();
    await createFix(database.db, lookAlike, clock, request);
    clock.advance(1);
    await createFix(database.db, acme, clock, request);

    const claims = [await claimFix(database, clock, lease), await claimFix(database, clock, lease)];

    expect(claims.map((claim) => claim?.scope.tenantId)).toEqual([2, 1]);
    expect(claims[0]).toMatchObject({ ...templateVersion, attempt: 1, leaseOwner: 'worker-a' });
    expect(await claimFix(database, clock, lease)).toBeNull();
  });

  test('workers that claim at the same time never get the same fix', async () => {
    await using database = await open();
    const clock = createTestClock();
    for (let minor = 0; minor < 8; minor++) {
      await createFix(database.db, acme, clock, { ...request, originVersion: `1.${minor}.0` });
    }

    const workers = Array.from({ length: 8 }, (_, index) => ({ workerId: `worker-${index}`, leaseMs: 60_000 }));
    const claims = await Promise.all(workers.map((worker) => claimFix(database, clock, worker)));

    const versions = claims.flatMap((claim) => claim?.originVersion ?? []);
    expect(new Set(versions).size).toBe(versions.length);
    expect(versions.length).toBe(8);
  });

  test('a fix is claimed anew when its lease is over, and not before', async () => {
    await using database = await open();
    const clock = createTestClock();
    await createFix(database.db, acme, clock, request);
    const first = await claimFix(database, clock, lease);
    clock.advance(59_999);
    expect(await claimFix(database, clock, rival)).toBeNull();

    if (!first) throw new Error('nothing claimed');
    expect(await renewLease(database.db, clock, first, lease.leaseMs)).toBe(true);
    clock.advance(59_999);
    expect(await claimFix(database, clock, rival)).toBeNull();

    clock.advance(1);
    expect(await claimFix(database, clock, rival)).toMatchObject({ id: first.id, attempt: 2, leaseOwner: 'worker-b' });
  });

  test.each([
    ['another worker', rival],
    ['the same worker again', lease],
  ])('a claim that went over to %s can write nothing', async (_name, taker) => {
    await using database = await open();
    const clock = createTestClock();
    await createFix(database.db, acme, clock, request);
    const lost = await claimFix(database, clock, lease);
    clock.advance(60_000);
    const held = await claimFix(database, clock, taker);
    if (!lost || !held) throw new Error('nothing claimed');

    expect(await renewLease(database.db, clock, lost, 1_000)).toBe(false);
    expect(await finishFix(database.db, clock, lost, end)).toBe(false);
    await requeueFix(database.db, clock, lost, 0);
    expect(await findFix(database.db, acme, held.id)).toMatchObject({ status: 'building' });

    expect(await finishFix(database.db, clock, held, end)).toBe(true);
    expect(await finishFix(database.db, clock, held, end)).toBe(false);
    expect(await findFix(database.db, acme, held.id)).toMatchObject({ status: 'failed', reason: 'r' });
  });

  test('a fix that was put back is held back for as long as that says', async () => {
    await using database = await open();
    const clock = createTestClock();
    await createFix(database.db, acme, clock, request);
    const claim = await claimFix(database, clock, lease);
    if (!claim) throw new Error('nothing claimed');
    await requeueFix(database.db, clock, claim, 30_000);

    expect(await findFix(database.db, acme, claim.id)).toMatchObject({ status: 'queued' });
    clock.advance(29_999);
    expect(await claimFix(database, clock, lease)).toBeNull();
    clock.advance(1);
    expect(await claimFix(database, clock, lease)).toMatchObject({ attempt: 2 });
  });
});
