import { expect, test } from 'vitest';
import { describeOnEveryDatabase } from '../../../../tests/support/databases.ts';
import type { Builder } from '../builders/builder.ts';
import { savePatchSet } from '../patches/patch-set-store.ts';
import { AppError } from '../platform/app-error.ts';
import { attemptsMax, type BuildJobDeps, createBuildJob } from './build.job.ts';
import { claimFix } from './fix-claim-store.ts';
import { leaseMs, npmBuilderOf, startBuildService } from './testing/build-service.ts';
import { acme, lookAlike, templatePatchSet } from './testing/catalog.ts';

describeOnEveryDatabase('build jobs whose worker dies or has rivals', (open) => {
  test('a fix whose worker ended again and again is given up with that reason', async () => {
    await using service = await startBuildService(await open());
    const id = await service.request();
    for (let attempt = 1; attempt <= attemptsMax; attempt++) {
      await claimFix(service.database, service.clock, service.deps);
      service.clock.advance(leaseMs);
    }
    await createBuildJob(service.deps).runOnce();
    expect(await service.fix(id)).toMatchObject({ status: 'failed', reason: expect.stringContaining('worker ended') });
  });

  const stages = ['the origin is fetched', 'the artifact is built', 'the blob is stored', 'the blob has been stored'];
  test.each(stages)(
    'a worker that stands still when %s leaves the fix to the next one and then writes nothing',
    async (stage) => {
      await using service = await startBuildService(await open());
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
      expect(await service.auditedActions()).toEqual(['fix.succeeded']);
    },
  );

  test('a worker that comes back with a refusal after another has published writes nothing either', async () => {
    await using service = await startBuildService(await open());
    const id = await service.request();
    const gate = createGate();
    const fetchOrigin: Builder['fetchOrigin'] = async () => {
      await gate.pass();
      throw new AppError('package_version_not_found', 'The upstream registry does not have it.');
    };
    const npm = { ...npmBuilderOf(service.deps), fetchOrigin };
    const stuckRun = createBuildJob({ ...service.deps, builders: { ...service.deps.builders, npm } }).runOnce();
    await gate.reached;
    service.clock.advance(leaseMs);
    await createBuildJob({ ...service.deps, workerId: 'worker-b' }).runOnce();
    gate.open();
    await stuckRun;

    expect(await service.fix(id)).toMatchObject({ status: 'succeeded' });
    expect(await service.auditedActions()).toEqual(['fix.succeeded']);
    expect(service.refreshed).toHaveLength(1);
  });

  test('a publication that breaks off leaves nothing, and the next attempt does it whole', async () => {
    await using service = await startBuildService(await open());
    const id = await service.request();
    const breaking: BuildJobDeps['refresh'] = async () => {
      throw new Error('the connection was lost');
    };
    await createBuildJob({ ...service.deps, refresh: breaking }).runOnce();
    expect(await service.seals()).toEqual([]);
    expect(await service.auditedActions()).toEqual([]);
    expect(await service.fix(id)).toMatchObject({ status: 'queued', sealedVersion: null });

    service.clock.advance(30_000);
    await createBuildJob(service.deps).runOnce();
    expect(await service.fix(id)).toMatchObject({ status: 'succeeded' });
    expect((await service.seals()).length).toBe(1);
  });

  test('two workers share the fixes without building one twice', async () => {
    await using service = await startBuildService(await open());
    const ids = [await service.request()];
    await savePatchSet(service.database.db, lookAlike, service.clock, templatePatchSet);
    ids.push(await service.request([], lookAlike));
    let builds = 0;
    const count = async () => {
      builds += 1;
    };
    const builders = { ...service.deps.builders, npm: withBuild(npmBuilderOf(service.deps), count) };
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
  const npm = npmBuilderOf(deps);
  switch (stage) {
    case 'the origin is fetched': {
      const fetchOrigin: Builder['fetchOrigin'] = async (...wanted) =>
        gate.pass().then(() => npm.fetchOrigin(...wanted));
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

function withBuild(builder: Builder, before: () => Promise<void>): Builder {
  return { ...builder, build: (input) => before().then(() => builder.build(input)) };
}
