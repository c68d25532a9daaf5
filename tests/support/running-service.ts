import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';

export const repositoryDir = path.resolve(import.meta.dirname, '../..');

/** The command line as a user of the repository calls it. */
export const sealsmithCommand = path.join(repositoryDir, 'packages/cli/bin/sealsmith.mjs');

const startTimeoutMs = 60_000;

/** The service as a process of its own, started as an operator starts it. */
export interface RunningService extends AsyncDisposable {
  url: string;
  pid: number;
  dataDir: string;
  /** Everything that the process printed on standard output before it served, and since. */
  stdout(): string;
  /** Its log so far. */
  stderr(): string;
  /** The token that a first start printed; null at a later one. */
  token: string | null;
  /** Ends it without a warning. */
  kill(): Promise<void>;
  /** Asks it to end. @returns its exit code; null when a signal ended it */
  terminate(): Promise<number | null>;
}

interface Options {
  /** A folder that outlives the process; else one is made and removed. */
  dataDir?: string;
  env?: Record<string, string>;
}

/** Starts `sealsmith serve` on a free port and waits until it is ready. */
export async function startServiceProcess({ dataDir, env = {} }: Options = {}): Promise<RunningService> {
  const dir = dataDir ?? mkdtempSync(path.join(tmpdir(), 'sealsmith-data-'));
  const child = spawn(process.execPath, [path.join(repositoryDir, 'packages/server/src/main.ts'), 'serve'], {
    cwd: repositoryDir,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, SEALSMITH_PORT: '0', SEALSMITH_LOG_LEVEL: 'warn', SEALSMITH_DATA_DIR: dir, ...env },
  });
  const lines: string[] = [];
  const errors: string[] = [];
  createInterface(child.stderr).on('line', (line) => errors.push(line));
  const exit = once(child, 'exit');
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    await exit;
    return child.exitCode;
  };
  const url = await new Promise<string>((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error(`no start within ${startTimeoutMs} ms\n${errors.join('\n')}`)),
      startTimeoutMs,
    );
    child.once('exit', () => reject(new Error(`the service ended at its start\n${errors.join('\n')}`)));
    createInterface(child.stdout).on('line', (line) => {
      lines.push(line);
      const served = /^Sealsmith serves at (\S+)/.exec(line)?.[1];
      // What a first start prints comes in the same write.
      if (served) setImmediate(() => resolve(served));
      if (served) clearTimeout(timer);
    });
  });
  const stdout = () => lines.join('\n');
  return {
    url,
    pid: child.pid ?? 0,
    dataDir: dir,
    stdout,
    token: /ssm_[0-9A-Za-z]+/.exec(stdout())?.[0] ?? null,
    stderr: () => errors.join('\n'),
    kill: async () => void (await end('SIGKILL')),
    terminate: () => end('SIGTERM'),
    [Symbol.asyncDispose]: async () => {
      await end('SIGTERM');
      if (dataDir === undefined) rmSync(dir, { recursive: true, force: true });
    },
  };
}
