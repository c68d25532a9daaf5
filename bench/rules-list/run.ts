import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { basePath } from '@sealsmith/contract';
import { type DatabaseConfig, openDatabase, sqliteFileIn } from '../../packages/server/src/database/open.ts';
import { startPostgres } from '../../tests/support/postgres-server.ts';
import { getRequest, type LoadResult, measureLoad } from '../load.ts';
import { type BenchTenant, fillDatabase } from './data.ts';

const connections = 16;
const warmUpSeconds = 2;
const secondsPerRound = 3;
const rounds = 3;
const pageSize = 100;
/** Tenants that can fill a page and have a last page of their own. */
const ruleCountMin = 500;

/** Lists of rules: 1,000,000 rules in 100 tenants, the token checked on every request. */
export async function runRulesList(): Promise<void> {
  const dir = mkdtempSync(path.join(tmpdir(), 'sealsmith-bench-'));
  try {
    await benchDatabase('SQLite', { kind: 'sqlite', file: sqliteFileIn(dir) }, dir);
    await using postgres = await startPostgres({ isDurable: true });
    await benchDatabase('PostgreSQL', { kind: 'postgres', url: await postgres.createDatabase() }, dir);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

async function benchDatabase(name: string, config: DatabaseConfig, dataDir: string): Promise<void> {
  const tenants = await fill(name, config);
  const large = tenants.filter(({ ruleCount }) => ruleCount >= ruleCountMin);
  const databaseUrl = config.kind === 'postgres' ? config.url : '';
  const bytes = await withServer({ dataDir, databaseUrl, bytes: pageSize * 230 }, (url) => meanPageBytes(url, large));
  await withServer({ dataDir, databaseUrl, bytes }, async (url, pid) => {
    const requests = await createRequests(url, large);
    const results = await measureInTurn(url, requests);
    print(name, results, residentMib(pid));
  });
}

async function fill(name: string, config: DatabaseConfig): Promise<BenchTenant[]> {
  const startedAt = performance.now();
  await using database = await openDatabase(config);
  const tenants = await fillDatabase(database);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
  const sizes = tenants.map(({ ruleCount }) => ruleCount);
  console.log(
    `\n${name}: 1,000,000 rules in ${tenants.length} tenants (${Math.max(...sizes)} to ${Math.min(...sizes)} rules), filled in ${seconds} s`,
  );
  return tenants;
}

interface ServerOptions {
  dataDir: string;
  databaseUrl: string;
  /** Size of the static body. */
  bytes: number;
}

async function withServer<Result>(
  { dataDir, databaseUrl, bytes }: ServerOptions,
  work: (url: string, pid: number) => Promise<Result>,
): Promise<Result> {
  const child = spawn(
    process.execPath,
    [...process.execArgv, path.join(import.meta.dirname, 'server.ts'), String(bytes)],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        ...process.env,
        SEALSMITH_DATA_DIR: dataDir,
        SEALSMITH_DATABASE_URL: databaseUrl,
        SEALSMITH_PORT: '0',
        SEALSMITH_RATE_LIMIT: '0',
        SEALSMITH_UPSTREAM_NPM: 'none',
        SEALSMITH_CATALOG_DIR: 'none',
      },
    },
  );
  try {
    const [url] = await once(createInterface(child.stdout), 'line');
    return await work(String(url), child.pid ?? 0);
  } finally {
    child.kill('SIGTERM');
    await once(child, 'exit');
  }
}

const rulesPath = `${basePath}/sealing-rules`;

async function meanPageBytes(url: string, tenants: readonly BenchTenant[]): Promise<number> {
  const sizes = await Promise.all(
    tenants.map(async ({ token }) => {
      const response = await fetch(url + rulesPath, { headers: { authorization: `Bearer ${token}` } });
      return (await response.arrayBuffer()).byteLength;
    }),
  );
  return Math.round(sizes.reduce((sum, size) => sum + size, 0) / sizes.length);
}

type Requests = Record<string, Buffer[]>;

async function createRequests(url: string, tenants: readonly BenchTenant[]): Promise<Requests> {
  const filtered = (text: string) => `${rulesPath}?package_name_filter=${encodeURIComponent(text)}`;
  const lastPages = await Promise.all(tenants.map((tenant) => lastPagePath(url, tenant)));
  return {
    'static response': [getRequest(url, '/static', null)],
    'first page of 100': tenants.map(({ token }) => getRequest(url, rulesPath, token)),
    'last page of 100': tenants.map(({ token }, index) => getRequest(url, lastPages[index] ?? '', token)),
    'rare substring': tenants.map(({ token, rareSubstring }) => getRequest(url, filtered(rareSubstring), token)),
    'absent substring': tenants.flatMap(({ token, absentSubstring }) => [
      getRequest(url, filtered(absentSubstring), token),
      getRequest(url, filtered('qzxjv'), token),
    ]),
  };
}

/** Walks to the last full page: the first step takes what is over, the others 200 each. */
async function lastPagePath(url: string, { token, ruleCount }: BenchTenant): Promise<string> {
  const before = ruleCount - pageSize;
  let limit = before % 200 || 200;
  let cursor: string | null = null;
  for (let seen = 0; seen < before; seen += limit, limit = 200) {
    const query: string = cursor === null ? `?limit=${limit}` : `?limit=200&cursor=${encodeURIComponent(cursor)}`;
    const response = await fetch(url + rulesPath + query, { headers: { authorization: `Bearer ${token}` } });
    const page = (await response.json()) as { next_page: string | null };
    cursor = page.next_page;
  }
  return `${rulesPath}?cursor=${encodeURIComponent(cursor ?? '')}`;
}

/** Measures every kind in turn, some rounds over, so that what else the machine does hits all alike. */
async function measureInTurn(url: string, requests: Requests): Promise<Map<string, LoadResult>> {
  const measured = new Map<string, LoadResult[]>();
  for (const list of Object.values(requests)) {
    await measureLoad({ url, requests: list, connections, seconds: warmUpSeconds });
  }
  for (let round = 0; round < rounds; round++) {
    for (const [kind, list] of Object.entries(requests)) {
      const result = await measureLoad({ url, requests: list, connections, seconds: secondsPerRound });
      measured.set(kind, [...(measured.get(kind) ?? []), result]);
    }
  }
  return new Map([...measured].map(([kind, results]) => [kind, medianOf(results)]));
}

function medianOf(results: readonly LoadResult[]): LoadResult {
  const sorted = results.toSorted((a, b) => a.requestsPerSecond - b.requestsPerSecond);
  const median = sorted[Math.floor(sorted.length / 2)];
  if (!median) throw new Error('nothing was measured');
  return { ...median, p99Ms: Math.max(...results.map(({ p99Ms }) => p99Ms)) };
}

function print(name: string, results: ReadonlyMap<string, LoadResult>, residentMiB: number): void {
  const rate = (kind: string) => results.get(kind)?.requestsPerSecond ?? Number.NaN;
  console.log(
    `${name}: ${connections} connections, median of ${rounds} rounds of ${secondsPerRound} s, p99 the worst of them`,
  );
  console.log('                      requests/s   p50 ms   p99 ms   bytes   of static   of first page');
  for (const [kind, { requestsPerSecond, p50Ms, p99Ms, bodyBytes }] of results) {
    const ratios = [rate('static response'), rate('first page of 100')].map((base) =>
      (requestsPerSecond / base).toFixed(2),
    );
    console.log(
      kind.padEnd(20),
      requestsPerSecond.toFixed(0).padStart(11),
      p50Ms.toFixed(2).padStart(8),
      p99Ms.toFixed(2).padStart(8),
      bodyBytes.toFixed(0).padStart(7),
      String(ratios[0]).padStart(11),
      String(ratios[1]).padStart(15),
    );
  }
  console.log(`resident memory of the server afterwards: ${residentMiB.toFixed(0)} MiB`);
}

function residentMib(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
}
