import { createHash } from 'node:crypto';
import { access, mkdir, open, readFile } from 'node:fs/promises';
import path from 'node:path';
import { writeFileWhole } from '../write-file-whole.ts';
import { BlobMissingError, type BlobStore } from './blob-store.ts';

const sha256Shape = /^[0-9a-f]{64}$/;

/** Blobs as files `ab/cd/abcd…` below `root`. */
export function createDiskBlobStore(root: string): BlobStore {
  const fileOf = (sha256: string) => {
    if (!sha256Shape.test(sha256)) throw new BlobMissingError(sha256);
    return path.join(root, sha256.slice(0, 2), sha256.slice(2, 4), sha256);
  };
  return {
    put: async (bytes) => {
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      const file = fileOf(sha256);
      if (await exists(file)) return sha256;
      await mkdir(path.dirname(file), { recursive: true });
      await writeFileWhole(file, bytes);
      return sha256;
    },
    open: async (sha256, range) => {
      const handle = await open(fileOf(sha256)).catch(rethrowMissing(sha256));
      return handle.createReadStream({ start: range?.start ?? 0, ...(range && { end: range.end }) });
    },
    read: async (sha256) => readFile(fileOf(sha256)).catch(rethrowMissing(sha256)),
  };
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
