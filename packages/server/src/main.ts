import { runOperator } from './operator/run-operator.ts';

/** A signal that comes again after this is meant: a terminal and a wrapper may both deliver the first. */
const secondSignalAfterMs = 1000;

const interruption = new AbortController();
let interruptedAtMs: number | null = null;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    interruptedAtMs ??= performance.now();
    if (performance.now() - interruptedAtMs > secondSignalAfterMs) process.exit(130);
    interruption.abort();
  });
}

const { stdout, stderr, env } = process;
process.exitCode = await runOperator(process.argv.slice(2), { stdout, stderr, env, signal: interruption.signal });
