import { runOperator } from './operator/run-operator.ts';

const interruption = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => interruption.abort());

const { stdout, stderr, env } = process;
process.exitCode = await runOperator(process.argv.slice(2), { stdout, stderr, env, signal: interruption.signal });
