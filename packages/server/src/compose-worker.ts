import { listSealedWithContent, publishSealedPackage } from './artifacts/sealed-package-store.ts';
import type { Foundation } from './compose.ts';
import { createBuildJob } from './fixes/build.job.ts';
import { type BuildLoop, startBuildLoop } from './fixes/build-loop.ts';
import { findBestPatchSet } from './patches/patch-set-store.ts';
import { createId } from './platform/ids.ts';
import { findVulnerabilities } from './vulnerabilities/find-vulnerabilities.ts';
import type { RefreshStates } from './vulnerabilities/state-refresh.ts';

const pollMs = 1_000;

/** Starts the role that builds. */
export function composeWorker(
  { config, database, blobs, clock, log, upstreams }: Foundation,
  refresh: RefreshStates,
): BuildLoop {
  const job = createBuildJob({
    database,
    clock,
    log,
    blobs,
    refresh,
    builders: upstreams.builders,
    listSealedWithContent,
    findBestPatchSet,
    findVulnerabilities,
    publish: publishSealedPackage,
    workerId: createId(clock),
    leaseMs: config.buildLeaseMs,
  });
  return startBuildLoop({ job, log, pollMs });
}
