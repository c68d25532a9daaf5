import { setTimeout as sleepFor } from 'node:timers/promises';
import type { CliIo, TextSink } from './cli-io.ts';
import { loadOperator } from './load-operator.ts';
import { runCli } from './run-cli.ts';

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

const io: CliIo = {
  stdout: sinkOf(process.stdout),
  stderr: sinkOf(process.stderr),
  env: process.env,
  cwd: process.cwd(),
  signal: interruption.signal,
  sleep: (ms) => sleepFor(ms, undefined, { signal: interruption.signal }).catch(() => undefined),
  loadOperator,
};

process.exitCode = await runCli(process.argv.slice(2), io);

/** Whoever reads may stop reading, as `head` does: the rest is dropped and the exit code still tells the outcome. */
function sinkOf(stream: NodeJS.WriteStream): TextSink {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
  return { write: (text) => stream.write(text), isTTY: stream.isTTY === true };
}
