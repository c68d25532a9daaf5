import { expect, test } from 'vitest';
import { describeOnEveryDatabase } from '../../../../tests/support/databases.ts';
import { readTarball } from '../builders/archive.ts';
import { savePatchSet } from '../patches/patch-set-store.ts';
import { attemptsMax, createBuildJob } from './build.job.ts';
import { createFix } from './fix-store.ts';
import { startBuildService } from './testing/build-service.ts';
import { acme, lookAlike, templatePatchSet, templateVersion } from './testing/catalog.ts';

describeOnEveryDatabase('the build job', (open) => {
  test('publishes a sealed version whose stored artifact holds the fix', async () => {
    await using service = await startBuildService(await open());
    const id = await service.request(['cve-2026-1000']);

    expect(await createBuildJob(service.deps).runOnce()).toBe(true);
    expect(await createBuildJob(service.deps).runOnce()).toBe(false);

    expect(await service.fix(id)).toMatchObject({
      status: 'succeeded',
      reason: null,
      sealedVersion: '1.4.2-sp1',
      closedIdentifiers: ['CVE-2026-1000'],
    });
    const [seal, ...rest] = await service.seals();
    expect(rest).toEqual([]);
    expect(seal).toMatchObject({
      iteration: 1,
      sealedVersion: '1.4.2-sp1',
      fixId: id,
      closedIdentifiers: ['CVE-2026-1000', 'GHSA-2222-3333-4444'],
    });
    const files = await readTarball(await service.deps.blobs.read(seal?.sha256 ?? ''));
    const sealedSource = files.find((file) => file.path === 'index.js')?.bytes.toString();
    expect(sealedSource).toContain('Object.hasOwn(values, key)');
    expect(service.refreshed).toEqual([
      { kind: 'packages', packages: [{ ecosystem: 'npm', packageName: 'plain-template' }] },
    ]);
    expect(await service.auditedActions()).toEqual(['fix.succeeded']);
  });

  test('does not publish the same origin and patches twice', async () => {
    await using service = await startBuildService(await open());
    await service.request();
    await createBuildJob(service.deps).runOnce();
    const id = await service.request();
    await createBuildJob(service.deps).runOnce();

    expect(await service.fix(id)).toMatchObject({ status: 'succeeded', sealedVersion: '1.4.2-sp1' });
    expect((await service.seals()).map(({ iteration }) => iteration)).toEqual([1]);
  });

  test('publishes the next iteration when the patches have changed', async () => {
    await using service = await startBuildService(await open());
    await service.request();
    await createBuildJob(service.deps).runOnce();
    const [patch] = templatePatchSet.patches;
    if (!patch) throw new Error('no patch');
    const renamed = { ...templatePatchSet, patches: [{ ...patch, fileName: '0001-GHSA-2222-3333-4444.patch' }] };
    await savePatchSet(service.database.db, acme, service.clock, renamed);
    await service.request();
    await createBuildJob(service.deps).runOnce();

    expect((await service.seals()).map(({ sealedVersion }) => sealedVersion)).toEqual(['1.4.2-sp1', '1.4.2-sp2']);
  });

  test('a tenant gets a seal only by its own fix and only from patches that it sees', async () => {
    await using service = await startBuildService(await open());
    const id = await service.request([], lookAlike);
    await createBuildJob(service.deps).runOnce();

    expect(await service.fix(id, lookAlike)).toMatchObject({
      status: 'unfixable',
      reason: 'The catalog has no patches for plain-template 1.4.2.',
    });
    expect(await service.seals(lookAlike)).toEqual([]);
    expect(await service.seals(acme)).toEqual([]);
  });

  test('patches that do not fit make the fix unfixable and say why', async () => {
    await using service = await startBuildService(await open());
    const [patch] = templatePatchSet.patches;
    if (!patch) throw new Error('no patch');
    const text = patch.text.replace('values[key]);\n+', 'value[key]);\n+');
    await savePatchSet(service.database.db, acme, service.clock, {
      ...templatePatchSet,
      patches: [{ ...patch, text }],
    });
    const id = await service.request();
    await createBuildJob(service.deps).runOnce();

    expect(await service.fix(id)).toMatchObject({ status: 'unfixable', reason: expect.stringContaining('index.js') });
    expect(await service.seals()).toEqual([]);
  });

  test('what was asked for and stays open makes the fix unfixable by name', async () => {
    await using service = await startBuildService(await open());
    const id = await service.request(['CVE-2026-2000']);
    await createBuildJob(service.deps).runOnce();
    expect(await service.fix(id)).toMatchObject({
      status: 'unfixable',
      reason: expect.stringContaining('CVE-2026-2000'),
    });
  });

  test('an ecosystem without a builder is unfixable in the words of the builder', async () => {
    await using service = await startBuildService(await open());
    const { db } = service.database;
    const request = { ...templateVersion, ecosystem: 'deb' as const, requestedIdentifiers: [] };
    const fix = await createFix(db, acme, service.clock, request);
    await createBuildJob(service.deps).runOnce();

    const { deb } = service.upstream.builders;
    expect(await service.fix(fix?.id ?? '')).toMatchObject({
      status: 'unfixable',
      reason: deb.supported ? '' : deb.reason,
    });
  });

  test('a version that upstream no longer has is unfixable', async () => {
    await using service = await startBuildService(await open());
    const { db } = service.database;
    await savePatchSet(db, acme, service.clock, { ...templatePatchSet, version: '1.4.3' });
    const request = { ...templateVersion, originVersion: '1.4.3', requestedIdentifiers: [] };
    const fix = await createFix(db, acme, service.clock, request);
    await createBuildJob(service.deps).runOnce();
    expect(await service.fix(fix?.id ?? '')).toMatchObject({
      status: 'unfixable',
      reason: 'The upstream registry does not have plain-template 1.4.3.',
    });
  });

  test('while upstream is down attempts are spaced, and the last one ends the fix', async () => {
    await using service = await startBuildService(await open());
    service.upstream.goDown();
    const id = await service.request();
    const job = createBuildJob(service.deps);

    await job.runOnce();
    expect(await service.fix(id)).toMatchObject({ status: 'queued', reason: null });
    expect(await job.runOnce()).toBe(false);
    service.clock.advance(30_000);
    expect(await job.runOnce()).toBe(true);
    service.clock.advance(119_999);
    expect(await job.runOnce()).toBe(false);
    service.clock.advance(1);
    await job.runOnce();

    expect(await service.fix(id)).toMatchObject({
      status: 'failed',
      reason: expect.stringContaining('upstream registry'),
    });
    expect(await service.seals()).toEqual([]);
  });

  test('an upstream that comes back is fetched from by the next attempt', async () => {
    await using service = await startBuildService(await open());
    service.upstream.goDown();
    const id = await service.request();
    await createBuildJob(service.deps).runOnce();
    service.upstream.comeBack();
    service.clock.advance(30_000);
    await createBuildJob(service.deps).runOnce();
    expect(await service.fix(id)).toMatchObject({ status: 'succeeded' });
  });

  test('bytes that do not match the published digest are never built from', async () => {
    await using service = await startBuildService(await open());
    service.upstream.tamper();
    const id = await service.request();
    for (let attempt = 1; attempt <= attemptsMax; attempt++) {
      await createBuildJob(service.deps).runOnce();
      service.clock.advance(10 * 60_000);
    }
    expect(await service.fix(id)).toMatchObject({ status: 'failed', reason: expect.stringContaining('digest') });
    expect(await service.seals()).toEqual([]);
  });
});
