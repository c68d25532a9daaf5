import { Worker } from 'node:worker_threads';

export type SourceKind = 'script' | 'module';

const parseTimeMsMax = 30_000;
const heapMegabytesMax = 512;

/**
 * As which of `kinds` the source parses. V8 itself parses, and runs nothing, in a thread of its own: there a crafted source
 * can use up its share of time or memory without stopping the server; it then counts as one that does not parse.
 */
export async function parseJavaScript(source: Uint8Array, kinds: readonly SourceKind[]): Promise<SourceKind[]> {
  const worker = new Worker(new URL('./parse-javascript.worker.ts', import.meta.url), {
    workerData: { source: new TextDecoder().decode(source), kinds },
    // Modules can only be parsed without being loaded through this part of node:vm.
    execArgv: ['--experimental-vm-modules', '--no-warnings'],
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: heapMegabytesMax },
  });
  const { promise, resolve } = Promise.withResolvers<SourceKind[]>();
  const timer = setTimeout(() => resolve([]), parseTimeMsMax);
  worker.once('message', resolve);
  worker.once('error', () => resolve([]));
  worker.once('exit', () => resolve([]));
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    await worker.terminate();
  }
}
