import type { CliIo, RunOperator } from '../cli-io.ts';
import { runCli } from '../run-cli.ts';
import { testToken } from './contract-server.ts';

interface RunOptions {
  url?: string;
  cwd?: string;
  env?: Record<string, string>;
  isTTY?: boolean;
  operator?: RunOperator;
  signal?: AbortSignal;
}

export interface CliRun {
  code: number;
  stdout: string;
  stderr: string;
  /** Every pause between tries or polls, which a test does not wait for. */
  sleptMs: number[];
}

/** Runs a command line in this process, with the token of the test server unless `env` says otherwise. */
export async function run(args: readonly string[], options: RunOptions = {}): Promise<CliRun> {
  const written = { stdout: '', stderr: '' };
  const sleptMs: number[] = [];
  const sink = (name: 'stdout' | 'stderr') => ({
    write: (text: string) => {
      written[name] += text;
    },
    isTTY: options.isTTY === true,
  });
  const io: CliIo = {
    stdout: sink('stdout'),
    stderr: sink('stderr'),
    env: options.env ?? { SEALSMITH_URL: options.url ?? 'http://127.0.0.1:1', SEALSMITH_TOKEN: testToken },
    cwd: options.cwd ?? import.meta.dirname,
    signal: options.signal ?? new AbortController().signal,
    sleep: async (ms) => void sleptMs.push(ms),
    loadOperator: async () => options.operator ?? null,
  };
  return { code: await runCli(args, io), ...written, sleptMs };
}
