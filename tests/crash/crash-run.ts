import { statSync } from 'node:fs';
import { mkdtemp, readdir, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { runProgram } from '../journey/steps.ts';
import { createApi } from '../support/api-client.ts';
import { type NpmUpstream, startNpmUpstream } from '../support/npm-upstream.ts';
import { repositoryDir, startServiceProcess } from '../support/running-service.ts';
import { checkPublished, checkRules, checkScansAndFixes } from './checks.ts';
import { type CrashPackage, crashPackages, publishCrashPackages, writeCrashCatalog } from './crash-catalog.ts';
import { checkFixEnds, endFixes } from './fix-ends.ts';
import { createLedger, type Ledger } from './ledger.ts';
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

const writesDelayMaxMs = 250;
const buildDelayMaxMs = 250;
/** From the first byte of the artifact to the end of the transaction. */
const publicationDelayMaxMs = 50;
/** Rounds between two looks at everything; the rules are looked at after every start. */
const thoroughEvery = 10;
/** Writes of a round that is to be busy before it ends. */
const busyRoundWrites = 20;
const momentTimeoutMs = 2_000;
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
    const packages = run.packages.slice(0, round + 1);
    await checkRules(api, ledger);
    if (round % thoroughEvery === 0) {
      await checkScansAndFixes(api, ledger);
      await checkPublished({ api, url: service.url, token }, packages);
    }
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

interface Moment {
  isDue: () => boolean;
  /** The kill comes up to this much later. */
  delayMaxMs: number;
}

/** When a round is cut off: in the first writes, in a build, while its result is published, or in the midst of writes. */
function momentOf(round: number, { ledger, upstream, dataDir }: Run): Moment {
  const moments: (() => Moment)[] = [
    () => ({ isDue: nextAcknowledgements(ledger, 1), delayMaxMs: writesDelayMaxMs }),
    () => ({ isDue: nextDownload(upstream), delayMaxMs: buildDelayMaxMs }),
    () => ({ isDue: nextBlob(dataDir), delayMaxMs: publicationDelayMaxMs }),
    () => ({ isDue: nextAcknowledgements(ledger, busyRoundWrites), delayMaxMs: writesDelayMaxMs }),
  ];
  const moment = moments[round % moments.length];
  if (!moment) throw new Error('every round has its moment');
  return moment();
}

function nextAcknowledgements({ counts }: Ledger, wanted: number): () => boolean {
  const before = counts.acknowledged;
  return () => counts.acknowledged >= before + wanted;
}

/** A build starts with the download of what it is made from. */
function nextDownload({ requests }: NpmUpstream): () => boolean {
  const before = requests.length;
  return () => requests.slice(before).some((request) => request.endsWith('.tgz'));
}

/** The folder changes when the sealed artifact begins to be written, and again when it is whole. */
function nextBlob(dataDir: string): () => boolean {
  const changedMs = () => statSync(path.join(dataDir, 'blobs', 'unfinished')).mtimeMs;
  const before = changedMs();
  return () => changedMs() > before;
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
    await checkRules(api, ledger);
    await checkScansAndFixes(api, ledger);
    const askedAgain = await endFixes(api, ledger);
    const sealedVersions = await checkFixEnds(api, ledger, run.packages);
    const published = await checkPublished({ api, url: service.url, token }, run.packages);
    expect(published.length, 'artifacts').toBe(sealedVersions);
    expect(await service.terminate()).toBe(0);
    await age(await listUnfinished(dataDir));
    await (await startServiceProcess({ dataDir, env })).terminate();
    expect(await listUnfinished(dataDir), 'unfinished files after the next start').toEqual([]);
    const { rules, scans } = ledger;
    const counts = { rules: rules.count(), scans: scans.size, fixes: ledger.fixes.size, artifacts: published.length };
    return { ...counts, askedAgain, unfinishedFiles: unfinishedFiles.length };
  } finally {
    await service.kill();
  }
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
