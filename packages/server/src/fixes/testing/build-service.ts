import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { listSealedWithContent, publishSealedPackage } from '../../artifacts/sealed-package-store.ts';
import type { Builder } from '../../builders/builder.ts';
import type { Database } from '../../database/database.ts';
import { findBestPatchSet, savePatchSet } from '../../patches/patch-set-store.ts';
import { createDiskBlobStore } from '../../platform/blobs/disk.ts';
import { createLogger } from '../../platform/logger.ts';
import type { StateSelection } from '../../vulnerabilities/state-refresh.ts';
import type { BuildJobDeps } from '../build.job.ts';
import { createFix, findFix } from '../fix-store.ts';
import {
  acme,
  createTestClock,
  otherVulnerability,
  templateFiles,
  templatePatchSet,
  templateVersion,
  templateVulnerability,
  vulnerabilitiesOfTemplate,
} from './catalog.ts';
import { startNpmUpstream } from './npm-upstream.ts';

export const leaseMs = 60_000;

/** All that a worker needs, with one patch set of `acme` in the catalog; `deps` is a worker of it. */
export async function startBuildService(database: Database) {
  const upstream = await startNpmUpstream(templateFiles);
  const folder = await mkdtemp(path.join(tmpdir(), 'build-job-'));
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
  };
  await savePatchSet(database.db, acme, clock, templatePatchSet);
  return {
    upstream,
    database,
    clock,
    deps,
    refreshed,
    /** @returns the id of the queued fix */
    request: async (requestedIdentifiers: string[] = [], scope = acme) => {
      clock.advance(1);
      const fix = await createFix(database.db, scope, clock, { ...templateVersion, requestedIdentifiers });
      if (!fix) throw new Error('a fix is under way');
      return fix.id;
    },
    fix: (id: string, scope = acme) => findFix(database.db, scope, id),
    seals: (scope = acme) => listSealedWithContent(database.db, scope, templateVersion),
    auditedActions: async () => {
      const rows = await database.db.selectFrom('audit_entries').select('action').orderBy('id').execute();
      return rows.map(({ action }) => action);
    },
    [Symbol.asyncDispose]: async () => {
      await database[Symbol.asyncDispose]();
      await upstream[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export function npmBuilderOf({ builders }: Pick<BuildJobDeps, 'builders'>): Builder {
  if (!builders.npm.supported) throw new Error('npm has no builder');
  return builders.npm;
}
