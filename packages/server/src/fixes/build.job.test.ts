import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeOnEveryDatabase } from '../../../../tests/support/databases.ts';
import { listSealedWithContent, publishSealedPackage } from '../artifacts/sealed-package-store.ts';
import { readTarball } from '../builders/archive.ts';
import type { Builder } from '../builders/builder.ts';
import type { Database } from '../database/database.ts';
import { findBestPatchSet, savePatchSet } from '../patches/patch-set-store.ts';
import { createDiskBlobStore } from '../platform/blobs/disk.ts';
import { createLogger } from '../platform/logger.ts';
import type { StateSelection } from '../vulnerabilities/state-refresh.ts';
import { attemptsMax, type BuildJobDeps, createBuildJob } from './build.job.ts';
import { claimFix } from './fix-claim-store.ts';
import { createFix, findFix } from './fix-store.ts';
import {
  acme,
  createTestClock,
  lookAlike,
  otherVulnerability,
  templateFiles,
  templatePatchSet,
  templateVersion,
  templateVulnerability,
  vulnerabilitiesOfTemplate,
} from './testdata/catalog.ts';
import { startNpmUpstream } from './testdata/npm-upstream.ts';

const leaseMs = 60_000;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'build-job-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describeOnEveryDatabase('the build job', (open) => {
  /** A service with one patch set and one queued fix, whose worker is `deps`. */
  async function start(overrides: Partial<BuildJobDeps> = {}) {
    const upstream = await startNpmUpstream(templateFiles);
    const database = await open();
    const clock = createTestClock();
    const refreshed: StateSelection[] = [];
    const deps: BuildJobDeps = {
      database,
      clock,
      builders: upstream.builders,
      blobs: createDiskBlobStore(folder),
      publish: publishSealedPackage,
      listSealedWithContent,
      findBestPatchSet,
      findVulnerabilities: vulnerabilitiesOfTemplate(templateVulnerability, otherVulnerability),
      refresh: async (_transaction, _scope, selection) => {
        refreshed.push(selection);
      },
      log: createLogger('silent'),
      workerId: 'worker-a',
      leaseMs,
      ...overrides,
    };
    await savePatchSet(database.db, acme, clock, templatePatchSet);
    const request = async (requestedIdentifiers: string[] = [], scope = acme) => {
      clock.advance(1);
      const fix = await createFix(database.db, scope, clock, { ...templateVersion, requestedIdentifiers });
      if (!fix) throw new Error('a fix is under way');
      return fix.id;
    };
    return {
      upstream,
      database,
      clock,
      deps,
      refreshed,
      request,
      fix: (id: string, scope = acme) => findFix(database.db, scope, id),
      seals: (scope = acme) => listSealedWithContent(database.db, scope, templateVersion),
      [Symbol.asyncDispose]: async () => {
        await database[Symbol.asyncDispose]();
        await upstream[Symbol.asyncDispose]();
      },
    };
  }

  test('publishes a sealed version whose stored artifact holds the fix', async () => {
    await using service = await start();
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
    expect(await auditedActions(service.database)).toEqual(['fix.succeeded']);
  });

  test('does not publish the same origin and patches twice', async () => {
    await using service = await start();
    await service.request();
    await createBuildJob(service.deps).runOnce();
    const id = await service.request();
    await createBuildJob(service.deps).runOnce();

    expect(await service.fix(id)).toMatchObject({ status: 'succeeded', sealedVersion: '1.4.2-sp1' });
    expect((await service.seals()).map(({ iteration }) => iteration)).toEqual([1]);
  });

  test('publishes the next iteration when the patches have changed', async () => {
    await using service = await start();
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
    await using service = await start();
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
    await using service = await start();
    const [patch] = templatePatchSet.patches;
    if (!patch) throw new Error('no patch');
    const text = patch.text.replace('values[key]);\n+', 'value[key]);\n+');
    await savePatchSet(service.database.db, acme, service.clock, { ...templatePatchSet, patches: [{ ...patch, text }] });
    const id = await service.request();
    await createBuildJob(service.deps).runOnce();

    expect(await service.fix(id)).toMatchObject({ status: 'unfixable', reason: expect.stringContaining('index.js') });
    expect(await service.seals()).toEqual([]);
  });

  test('what was asked for and stays open makes the fix unfixable by name', async () => {
    await using service = await start();
    const id = await service.request(['CVE-2026-2000']);
    await createBuildJob(service.deps).runOnce();
    expect(await service.fix(id)).toMatchObject({ status: 'unfixable', reason: expect.stringContaining('CVE-2026-2000') });
  });

  test('an ecosystem without a builder is unfixable in the words of the builder', async () => {
    await using service = await start();
    const { db } = service.database;
    const request = { ...templateVersion, ecosystem: 'deb', requestedIdentifiers: [] } as const;
    const fix = await createFix(db, acme, service.clock, request);
    await createBuildJob(service.deps).runOnce();

    const { deb } = service.upstream.builders;
    expect(await service.fix(fix?.id ?? '')).toMatchObject({
      status: 'unfixable',
      reason: deb.supported ? '' : deb.reason,
    });
  });

  test('a version that upstream no longer has is unfixable', async () => {
    await using service = await start();
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
    await using service = await start();
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

    expect(await service.fix(id)).toMatchObject({ status: 'failed', reason: expect.stringContaining('upstream registry') });
    expect(await service.seals()).toEqual([]);
  });

  test('an upstream that comes back is fetched from by the next attempt', async () => {
    await using service = await start();
    service.upstream.goDown();
    const id = await service.request();
    await createBuildJob(service.deps).runOnce();
    service.upstream.comeBack();
    service.clock.advance(30_000);
    await createBuildJob(service.deps).runOnce();
    expect(await service.fix(id)).toMatchObject({ status: 'succeeded' });
  });

  test('bytes that do not match the published digest are never built from', async () => {
    await using service = await start();
    service.upstream.tamper();
    const id = await service.request();
    for (let attempt = 1; attempt <= attemptsMax; attempt++) {
      await createBuildJob(service.deps).runOnce();
      service.clock.advance(10 * 60_000);
    }
    expect(await service.fix(id)).toMatchObject({ status: 'failed', reason: expect.stringContaining('digest') });
    expect(await service.seals()).toEqual([]);
  });

  test('a fix whose worker ended again and again is given up with that reason', async () => {
    await using service = await start();
    const id = await service.request();
    for (let attempt = 1; attempt <= attemptsMax; attempt++) {
      await claimFix(service.database, service.clock, service.deps);
      service.clock.advance(leaseMs);
    }
    await createBuildJob(service.deps).runOnce();
    expect(await service.fix(id)).toMatchObject({ status: 'failed', reason: expect.stringContaining('worker ended') });
  });

  const stages = ['the origin is fetched', 'the artifact is built', 'the blob is stored', 'the blob has been stored'];
  test.each(stages)('a worker that stands still when %s leaves the fix to the next one and then writes nothing', async (stage) => {
    await using service = await start();
    const id = await service.request();
    const gate = createGate();
    const stuck = createBuildJob({ ...service.deps, ...stuckAt(stage, service.deps, gate) });
    const stuckRun = stuck.runOnce();
    await gate.reached;
    expect(await service.seals()).toEqual([]);
    expect(await service.fix(id)).toMatchObject({ status: 'building' });

    service.clock.advance(leaseMs);
    await createBuildJob({ ...service.deps, workerId: 'worker-b' }).runOnce();
    const published = await service.seals();
    const finished = await service.fix(id);
    service.clock.advance(1_000);
    gate.open();
    await stuckRun;

    expect(finished).toMatchObject({ status: 'succeeded', sealedVersion: '1.4.2-sp1' });
    expect(await service.fix(id)).toEqual(finished);
    expect(await service.seals()).toEqual(published);
    expect(await auditedActions(service.database)).toEqual(['fix.succeeded']);
  });

  test('a publication that breaks off leaves nothing, and the next attempt does it whole', async () => {
    await using service = await start();
    const id = await service.request();
    const breaking: BuildJobDeps['refresh'] = async () => {
      throw new Error('the connection was lost');
    };
    await createBuildJob({ ...service.deps, refresh: breaking }).runOnce();
    expect(await service.seals()).toEqual([]);
    expect(await auditedActions(service.database)).toEqual([]);
    expect(await service.fix(id)).toMatchObject({ status: 'queued', sealedVersion: null });

    service.clock.advance(30_000);
    await createBuildJob(service.deps).runOnce();
    expect(await service.fix(id)).toMatchObject({ status: 'succeeded' });
    expect((await service.seals()).length).toBe(1);
  });

  test('two workers share the fixes without building one twice', async () => {
    await using service = await start();
    const ids = [await service.request()];
    await savePatchSet(service.database.db, lookAlike, service.clock, templatePatchSet);
    ids.push(await service.request([], lookAlike));
    let builds = 0;
    const builders = { ...service.deps.builders, npm: withBuild(npmOf(service.deps), async () => void (builds += 1)) };
    const workers = ['worker-a', 'worker-b'].map((workerId) => createBuildJob({ ...service.deps, builders, workerId }));

    await Promise.all(
      workers.map(async (worker) => {
        while (await worker.runOnce());
      }),
    );

    expect(builds).toBe(2);
    expect((await service.seals(acme)).map(({ fixId }) => fixId)).toEqual([ids[0]]);
    expect((await service.seals(lookAlike)).map(({ fixId }) => fixId)).toEqual([ids[1]]);
  });
});

function createGate() {
  const arrival = Promise.withResolvers<void>();
  const opening = Promise.withResolvers<void>();
  return {
    reached: arrival.promise,
    open: opening.resolve,
    pass: () => {
      arrival.resolve();
      return opening.promise;
    },
  };
}

/** The dependencies of a worker that stands still at a stage until the gate opens. */
function stuckAt(stage: string, deps: BuildJobDeps, gate: ReturnType<typeof createGate>): Partial<BuildJobDeps> {
  const npm = npmOf(deps);
  switch (stage) {
    case 'the origin is fetched': {
      const fetchOrigin: Builder['fetchOrigin'] = async (...wanted) => gate.pass().then(() => npm.fetchOrigin(...wanted));
      return { builders: { ...deps.builders, npm: { ...npm, fetchOrigin } } };
    }
    case 'the artifact is built':
      return { builders: { ...deps.builders, npm: withBuild(npm, gate.pass) } };
    case 'the blob is stored':
      return { blobs: { ...deps.blobs, put: async (bytes) => gate.pass().then(() => deps.blobs.put(bytes)) } };
    default:
      return {
        blobs: {
          ...deps.blobs,
          put: async (bytes) => {
            const sha256 = await deps.blobs.put(bytes);
            await gate.pass();
            return sha256;
          },
        },
      };
  }
}

function npmOf({ builders }: BuildJobDeps): Builder {
  if (!builders.npm.supported) throw new Error('npm has no builder');
  return builders.npm;
}

function withBuild(builder: Builder, before: () => Promise<void>): Builder {
  return { ...builder, build: (input) => before().then(() => builder.build(input)) };
}

async function auditedActions({ db }: Database): Promise<string[]> {
  const rows = await db.selectFrom('audit_entries').select('action').orderBy('id').execute();
  return rows.map(({ action }) => action);
}
