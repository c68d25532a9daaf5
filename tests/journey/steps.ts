import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);
const timeoutMs = 180_000;

export interface Ran {
  exitCode: number;
  stdout: string;
  stderr: string;
}

interface RunOptions {
  cwd: string;
  env?: Record<string, string>;
}

/** Runs a program to its end, whatever its exit code. */
export async function runProgram(program: string, args: readonly string[], { cwd, env }: RunOptions): Promise<Ran> {
  try {
    const options = { cwd, env: { ...process.env, ...env }, timeout: timeoutMs, maxBuffer: 64 * 1024 * 1024 };
    const { stdout, stderr } = await run(program, [...args], options);
    return { exitCode: 0, stdout, stderr };
  } catch (error) {
    const { code, stdout = '', stderr = '' } = error as { code?: unknown; stdout?: string; stderr?: string };
    if (typeof code !== 'number') throw error;
    return { exitCode: code, stdout, stderr };
  }
}

/** Prints what a step found, or ends the journey: each step stands on the one before. */
export function expectStep(isTrue: boolean, said: string, ran?: Ran): void {
  console.log(`  ${isTrue ? 'ok ' : 'NOT OK'} ${said}`);
  if (isTrue) return;
  const output = ran ? `\nexit code ${ran.exitCode}\n${ran.stdout}\n${ran.stderr}` : '';
  throw new Error(`the journey ends here: ${said}${output}`);
}
