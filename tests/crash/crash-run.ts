import { mkdtemp, readdir, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, vi } from 'vitest';
import { runProgram } from '../journey/steps.ts';
import { type Api, createApi } from '../support/api-client.ts';
import { type NpmUpstream, startNpmUpstream } from '../support/npm-upstream.ts';
import { type RunningService, repositoryDir, startServiceProcess } from '../support/running-service.ts';
import { checkPublished, checkWrites, listFixes } from './checks.ts';
import { type CrashPackage, crashPackages, publishCrashPackages, writeCrashCatalog } from './crash-catalog.ts';
import { createLedger, type Ledger, recordFix } from './ledger.ts';
import { createSeededRandom, type SeededRandom } from './seeded-random.ts';
import { writeUntilGone } from './writers.ts';

export interface CrashRunOptions {
  kills: number;
  seed: number;
  /** Default: SQLite in the data folder. */
  databaseUrl?: string;
  /** Looks at what is left when everything has ended; the service is down. */
  inspect?: (dataDir: string) => Promise<void>;
}

const killDelayMaxMs = 250;
/** Builds of these small packages take this long. */
const buildDelayMaxMs = 80;
const artifactsEvery = 10;
/** Writes of a round that is to be busy before it ends. */
const busyRoundWrites = 30;
const momentTimeoutMs = 2_000;
const fixesEndTimeoutMs = 90_000;
const asksMax = 5;
const abandonedMs = 2 * 60 * 60 * 1_000;

interface Run {
  workDir: string;
  dataDir: string;
  env: Record<string, string>;
  upstream: NpmUpstream;
  packages: readonly CrashPackage[];
  token: string;
  ledger: Ledger;
  random: SeededRandom;
}

/** Kills the service again and again while it writes and builds, and checks what it has kept. @returns what was counted */
export async function crashAgainAndAgain({ kills, seed, databaseUrl, inspect }: CrashRunOptions) {
  const workDir = await mkdtemp(path.join(tmpdir(), 'sealsmith-crash-'));
  const dataDir = path.join(workDir, 'data');
  try {
    await using upstream = await startNpmUpstream();
    const packages = crashPackages(kills);
    const env = {
      SEALSMITH_DATA_DIR: dataDir,
      SEALSMITH_UPSTREAM_NPM: upstream.url,
      SEALSMITH_CATALOG_DIR: 'none',
      SEALSMITH_RATE_LIMIT: '0',
      SEALSMITH_BUILD_LEASE_SECONDS: '1',
      // More than a hundred starts: each need not compile the same code again.
      NODE_COMPILE_CACHE: path.join(workDir, 'compiled'),
      ...(databaseUrl !== undefined && { SEALSMITH_DATABASE_URL: databaseUrl }),
    };
    const random = createSeededRandom(seed);
    const run: Run = { workDir, dataDir, env, upstream, packages, token: '', ledger: createLedger(), random };
    run.token = await prepare(run);
    for (let round = 0; round < kills; round++) await killOnce(run, round);
    const end = await finish(run);
    await inspect?.(dataDir);
    return { kills, seed, ...run.ledger.counts, ...end };
  } finally {
    await rm(workDir, { recursive: true, force: true });
  }
}

/** @returns the token of the first start */
async function prepare({ workDir, dataDir, env, upstream, packages }: Run): Promise<string> {
  await publishCrashPackages(upstream, packages);
  const catalog = path.join(workDir, 'to-import');
  await writeCrashCatalog(catalog, packages);
  const main = path.join(repositoryDir, 'packages/server/src/main.ts');
  for (const kind of ['advisories', 'patches']) {
    const imported = await runProgram(process.execPath, [main, kind, 'import', path.join(catalog, kind)], {
      cwd: workDir,
      env,
    });
    expect(imported, `${kind} import`).toMatchObject({ exitCode: 0 });
  }
  await using service = await startServiceProcess({ dataDir, env });
  if (service.token === null) throw new Error('a first start prints a token');
  return service.token;
}

async function killOnce(run: Run, round: number): Promise<void> {
  const { dataDir, env, token, ledger, random } = run;
  const service = await startServiceProcess({ dataDir, env });
  try {
    const api = createApi(service.url, token);
    await checkWrites(api, ledger);
    const packages = run.packages.slice(0, round + 1);
    if (round % artifactsEvery === 0) await checkPublished({ api, url: service.url, token }, packages);
    const { isDue, delayMaxMs } = momentOf(round, run);
    const writes = writeUntilGone({ api, ledger, random, packages });
    // The writers only end before the kill when an answer is wrong.
    await Promise.race([come(isDue).then(() => sleep(random.below(delayMaxMs))), writes]);
    await service.kill();
    await writes;
  } catch (error) {
    throw new Error(`in round ${round}; the log of the service:\n${service.stderr()}`, { cause: error });
  } finally {
    await service.kill();
  }
}

/** When a round is cut off: in the first writes, in a build, or in the midst of many writes. */
function momentOf(round: number, { ledger, upstream }: Run): { isDue: () => boolean; delayMaxMs: number } {
  if (round % 3 === 0) return { isDue: nextAcknowledgements(ledger, 1), delayMaxMs: killDelayMaxMs };
  if (round % 3 === 1) return { isDue: nextBuild(upstream), delayMaxMs: buildDelayMaxMs };
  return { isDue: nextAcknowledgements(ledger, busyRoundWrites), delayMaxMs: killDelayMaxMs };
}

function nextAcknowledgements({ counts }: Ledger, wanted: number): () => boolean {
  const before = counts.acknowledged;
  return () => counts.acknowledged >= before + wanted;
}

/** A build starts with the download of what it is made from. */
function nextBuild({ requests }: NpmUpstream): () => boolean {
  const count = () => requests.filter((request) => request.endsWith('.tgz')).length;
  const before = count();
  return () => count() > before;
}

async function come(isDue: () => boolean): Promise<void> {
  const deadline = Date.now() + momentTimeoutMs;
  while (!isDue() && Date.now() < deadline) await sleep(1);
}

/** Everything that was accepted comes to its end, and a start later nothing unfinished is left on the disk. */
async function finish(run: Run) {
  const { dataDir, env, token, ledger } = run;
  const unfinishedFiles = await listUnfinished(dataDir);
  const service = await startServiceProcess({ dataDir, env });
  try {
    const api = createApi(service.url, token);
    await checkWrites(api, ledger);
    const askedAgain = await endFixes(run, api);
    const published = await checkPublished({ api, url: service.url, token }, run.packages);
    const fixes = await checkFixes(run, api);
    expect(published.length, 'artifacts').toBe(fixes.fixableVersions);
    expect(await service.terminate()).toBe(0);
    await age(await listUnfinished(dataDir));
    await (await startServiceProcess({ dataDir, env })).terminate();
    expect(await listUnfinished(dataDir), 'unfinished files after the next start').toEqual([]);
    const { rules, scans } = ledger;
    const counts = { rules: rules.count(), scans: scans.size, fixes: fixes.count, artifacts: published.length };
    return { ...counts, askedAgain, unfinishedFiles: unfinishedFiles.length };
  } finally {
    await service.kill();
  }
}

/**
 * Waits until no fix is under way. One whose worker was killed three times is given up, which the answer says; whoever
 * asks again gets it. @returns how many had to be asked for again
 */
async function endFixes({ ledger }: Run, api: Api): Promise<number> {
  const gaveUp = /^The worker ended before the build was done/;
  let askedAgain = 0;
  for (let asks = 0; asks < asksMax; asks++) {
    const fixes = await vi.waitFor(
      async () => {
        const all = await listFixes(api);
        expect(all.filter(({ status }) => status === 'queued' || status === 'building')).toEqual([]);
        return all;
      },
      { timeout: fixesEndTimeoutMs, interval: 200 },
    );
    const done = new Set(fixes.filter(({ status }) => status === 'succeeded').map(keyOf));
    const lost = fixes.filter(
      (fix) => fix.status === 'failed' && gaveUp.test(fix.reason ?? '') && !done.has(keyOf(fix)),
    );
    if (lost.length === 0) return askedAgain;
    for (const { ecosystem, package_name, vulnerable_version } of lost) {
      const { status, json } = await api('POST', '/generate-fix', {
        body: { ecosystem, package_name, vulnerable_version },
      });
      expect(status).toBe(202);
      recordFix(ledger, json as Parameters<typeof recordFix>[1]);
      askedAgain += 1;
    }
  }
  throw new Error(`fixes are given up after they were asked for ${asksMax} times, with nobody killing`);
}

async function checkFixes({ ledger, packages }: Run, api: Api) {
  const fixes = await listFixes(api);
  const isFixable = new Set(packages.flatMap(({ name, fixable }) => fixable.map((version) => `${name} ${version}`)));
  const accepted = new Set([...ledger.fixes.values()].map(({ packageName, version }) => `${packageName} ${version}`));
  const succeeded = new Set(fixes.filter(({ status }) => status === 'succeeded').map(keyOf));
  expect(
    [...accepted].filter((key) => isFixable.has(key) && !succeeded.has(key)),
    'accepted and not built',
  ).toEqual([]);
  const unfixable = fixes.filter((fix) => !isFixable.has(keyOf(fix)));
  expect(
    unfixable.filter(({ status }) => status !== 'unfixable'),
    'built without a patch',
  ).toEqual([]);
  return { count: fixes.length, fixableVersions: succeeded.size };
}

function keyOf(fix: { package_name: string; vulnerable_version: string }): string {
  return `${fix.package_name} ${fix.vulnerable_version}`;
}

/** Files that writers had not finished when they were killed. */
async function listUnfinished(dataDir: string): Promise<string[]> {
  const entries = await readdir(dataDir, { recursive: true, withFileTypes: true });
  const unfinished = entries.filter((entry) => entry.isFile() && entry.name.endsWith('.tmp'));
  return unfinished.map(({ parentPath, name }) => path.join(parentPath, name));
}

async function age(files: readonly string[]): Promise<void> {
  const longAgo = new Date(Date.now() - abandonedMs);
  for (const file of files) await utimes(file, longAgo, longAgo);
}
