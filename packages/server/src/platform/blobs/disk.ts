import { createHash } from 'node:crypto';
import { access, mkdir, open, readdir, readFile, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Clock } from '../clock.ts';
import { syncFolder, writeFileWhole } from '../write-file-whole.ts';
import { BlobMissingError, type BlobStore } from './blob-store.ts';

const sha256Shape = /^[0-9a-f]{64}$/;
const unfinishedFolder = 'unfinished';
const abandonedAfterMs = 60 * 60 * 1000;

/** Blobs as files `ab/cd/abcd…` below `root`; what is being written is below `unfinished/`. */
export function createDiskBlobStore(root: string): BlobStore {
  const fileOf = (sha256: string) => {
    if (!sha256Shape.test(sha256)) throw new BlobMissingError(sha256);
    return path.join(root, sha256.slice(0, 2), sha256.slice(2, 4), sha256);
  };
  return {
    put: async (bytes) => {
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      const file = fileOf(sha256);
      const folder = path.dirname(file);
      if (!(await exists(file))) {
        const asideDir = path.join(root, unfinishedFolder);
        await Promise.all([folder, asideDir].map((dir) => mkdir(dir, { recursive: true })));
        await writeFileWhole(file, bytes, asideDir);
      }
      // The folders may be new, or their writer may have died before this: a blob is as durable as the path to it.
      for (const made of [folder, path.dirname(folder), root]) await syncFolder(made);
      return sha256;
    },
    open: async (sha256, range) => {
      const handle = await open(fileOf(sha256)).catch(rethrowMissing(sha256));
      return handle.createReadStream({ start: range?.start ?? 0, ...(range && { end: range.end }) });
    },
    read: async (sha256) => readFile(fileOf(sha256)).catch(rethrowMissing(sha256)),
  };
}

/** Removes what writers left behind when their process died; a younger file may be another process at work. */
export async function removeAbandonedBlobs(root: string, clock: Clock): Promise<void> {
  const folder = path.join(root, unfinishedFolder);
  await mkdir(folder, { recursive: true });
  for (const name of await readdir(folder)) {
    const file = path.join(folder, name);
    const stats = await stat(file).catch(nullIfMissing);
    if (stats && stats.mtimeMs < clock.now().getTime() - abandonedAfterMs) await rm(file, { force: true });
  }
}

function nullIfMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}

function rethrowMissing(sha256: string) {
  return (error: NodeJS.ErrnoException): never => {
    if (error.code === 'ENOENT') throw new BlobMissingError(sha256, { cause: error });
    throw error;
  };
}
