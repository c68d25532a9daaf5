import { stat } from 'node:fs/promises';
import type { WirePatchSet } from '@sealsmith/contract';
import { CliError } from '../cli-error.ts';
import { systemErrorCode } from '../plain-file.ts';
import type { Batch } from './batch.ts';
import { type FoundPatchSet, patchSets } from './patch-sets.ts';

const setsMax = 50;
const bytesMax = 20 * 1024 * 1024;

/** Cuts a folder of patches into requests. @throws CliError `usage` for what is no folder */
export async function patchBatches(folder: string, shownFolder: string): Promise<AsyncIterable<Batch<WirePatchSet[]>>> {
  const stats = await stat(folder).catch((error: unknown) => {
    throw new CliError('usage', `${shownFolder} cannot be read (${systemErrorCode(error)}).`);
  });
  if (!stats.isDirectory()) throw new CliError('usage', `${shownFolder} is not a folder of patches.`);
  return batchesOf(folder);
}

async function* batchesOf(folder: string): AsyncGenerator<Batch<WirePatchSet[]>> {
  let found: FoundPatchSet[] = [];
  let bytes = 0;
  for await (const item of patchSets(folder)) {
    if ('reason' in item) {
      yield item;
      continue;
    }
    const size = Buffer.byteLength(JSON.stringify(item.set));
    if (found.length >= setsMax || (found.length > 0 && bytes + size > bytesMax)) {
      yield toBatch(found);
      found = [];
      bytes = 0;
    }
    found.push(item);
    bytes += size;
  }
  if (found.length > 0) yield toBatch(found);
}

function toBatch(found: readonly FoundPatchSet[]): Batch<WirePatchSet[]> {
  return {
    content: found.map(({ set }) => set),
    label: `${found.length} sets to ${found.at(-1)?.name}`,
    placeOf: (name) =>
      name.replace(/^patch_sets\.(\d+)\.?/, (whole, index) => `${found[Number(index)]?.name ?? whole} `).trimEnd(),
  };
}
