import { compileFunction, SourceTextModule } from 'node:vm';
import { parentPort, workerData } from 'node:worker_threads';
import type { SourceKind } from './parse-javascript.ts';

const { source, kinds } = workerData as { source: string; kinds: readonly SourceKind[] };

/** Node wraps a CommonJS file in a function with these parameters: `return` is valid at its top level. */
const commonJsParameters = ['exports', 'require', 'module', '__filename', '__dirname'];

const parsers: Readonly<Record<SourceKind, () => void>> = {
  script: () => void compileFunction(source, commonJsParameters),
  module: () => void new SourceTextModule(source),
};

parentPort?.postMessage(kinds.filter(parses));

function parses(kind: SourceKind): boolean {
  try {
    parsers[kind]();
    return true;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return false;
    throw error;
  }
}
