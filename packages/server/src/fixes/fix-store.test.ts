import { expect, test } from 'vitest';
import { describeOnEveryDatabase } from '../../../../tests/support/databases.ts';
import { claimFix, finishFix } from './fix-claim-store.ts';
import { createFix, findBuildReport, findFix, findFixUnderWay, listFixes, listFixFacts } from './fix-store.ts';
import { acme, createTestClock, lookAlike, templateVersion } from './testing/catalog.ts';

const request = { ...templateVersion, requestedIdentifiers: ['CVE-2026-1000'] };

describeOnEveryDatabase('fixes', (open) => {
  test('of one version, one is under way at a time in each tenant', async () => {
    await using database = await open();
    const clock = createTestClock();
    const first = await createFix(database.db, acme, clock, request);
    clock.advance(1);

    expect(await createFix(database.db, acme, clock, request)).toBeNull();
    expect(await createFix(database.db, acme, clock, { ...request, originVersion: '1.4.3' })).not.toBeNull();
    const other = await createFix(database.db, lookAlike, clock, request);

    expect(await findFixUnderWay(database.db, acme, templateVersion)).toEqual(first);
    expect(await findFixUnderWay(database.db, lookAlike, templateVersion)).toEqual(other);
    expect(first).toMatchObject({ status: 'queued', requestedIdentifiers: ['CVE-2026-1000'], sealedVersion: null });
  });

  test('one that ended badly does not keep a new one from being asked for', async () => {
    await using database = await open();
    const clock = createTestClock();
    await createFix(database.db, acme, clock, request);
    await endNext(database, clock, 'unfixable');
    clock.advance(1);

    expect(await findFixUnderWay(database.db, acme, templateVersion)).toBeNull();
    expect(await createFix(database.db, acme, clock, request)).not.toBeNull();
  });

  test('what belongs to another tenant is not there', async () => {
    await using database = await open();
    const clock = createTestClock();
    const foreign = await createFix(database.db, lookAlike, clock, request);
    const id = foreign?.id ?? '';

    expect(await findFix(database.db, lookAlike, id)).toEqual(foreign);
    expect(await findFix(database.db, acme, id)).toBeNull();
    expect(await findBuildReport(database.db, acme, id)).toBeNull();
    expect(await listFixes(database.db, acme, { status: null, beforeId: null, limit: 10 })).toEqual([]);
    expect(await listFixFacts(database.db, acme, [templateVersion])).toEqual([]);
  });

  test('pages go from the newest back and lose nothing', async () => {
    await using database = await open();
    const clock = createTestClock();
    const versions = ['1.0.0', '1.1.0', '1.2.0', '1.3.0', '1.4.0'];
    for (const originVersion of versions) {
      await createFix(database.db, acme, clock, { ...request, originVersion });
      clock.advance(1);
    }

    const seen: string[] = [];
    let beforeId: string | null = null;
    for (let page = 0; page < 3; page++) {
      const items = await listFixes(database.db, acme, { status: null, beforeId, limit: 2 });
      seen.push(...items.map((fix) => fix.originVersion));
      beforeId = items.at(-1)?.id ?? null;
    }
    expect(seen).toEqual(versions.toReversed());

    await endNext(database, clock, 'failed');
    const failed = await listFixes(database.db, acme, { status: 'failed', beforeId: null, limit: 10 });
    expect(failed.map((fix) => fix.originVersion)).toEqual(['1.0.0']);
  });

  test('the fact about a version is its newest fix', async () => {
    await using database = await open();
    const clock = createTestClock();
    await createFix(database.db, acme, clock, request);
    await endNext(database, clock, 'failed');
    clock.advance(1);
    await createFix(database.db, acme, clock, request);
    await createFix(database.db, acme, clock, { ...request, originVersion: '1.5.0' });
    await createFix(database.db, acme, clock, { ...request, packageName: 'other' });

    const facts = await listFixFacts(database.db, acme, [templateVersion, templateVersion]);

    expect(facts).toEqual([
      { ...templateVersion, status: 'queued', createdOn: expect.any(String) },
      { ...templateVersion, originVersion: '1.5.0', status: 'queued', createdOn: expect.any(String) },
    ]);
  });
});

async function endNext(
  database: Parameters<typeof claimFix>[0],
  clock: ReturnType<typeof createTestClock>,
  status: 'unfixable' | 'failed',
) {
  const claim = await claimFix(database, clock, { workerId: 'w', leaseMs: 1_000 });
  if (!claim) throw new Error('nothing to claim');
  const end = { status, reason: 'because', sealedVersion: null, closedIdentifiers: [], report: null };
  expect(await finishFix(database.db, clock, claim, end)).toBe(true);
}
