import type { Stats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { LRUCache } from 'lru-cache';
import type { BlobRange } from '../platform/blobs/blob-store.ts';
import type { Logger } from '../platform/logger.ts';
import type { CacheFolder } from './cache-folder.ts';
import { checkedBytes, DigestMismatchError, digestKey, type PublishedDigest } from './published-digest.ts';
import { type OpenArtifact, wholeReadBytesMax } from './send-artifact.ts';
import { createSingleFlight } from './single-flight.ts';

export interface ArtifactCache {
  /**
   * The bytes that have this digest, fetched when they are not there. Nothing is given out before all of it is checked.
   * @throws DigestMismatchError when upstream sends others
   */
  open(digest: PublishedDigest, fetch: () => Promise<AsyncIterable<Uint8Array>>): Promise<OpenArtifact>;
}

const attemptsMax = 3;
const checkedMax = 100_000;

export function createArtifactCache({ folder, log }: { folder: CacheFolder; log: Logger }): ArtifactCache {
  /** Files whose bytes this process has checked, as they were then. */
  const checked = new LRUCache<string, string>({ max: checkedMax });
  const flights = createSingleFlight<void>();

  const openChecked = async (key: string): Promise<OpenArtifact | null> => {
    const handle = await folder.open(key);
    if (handle === null) return null;
    const stats = await handle.stat();
    if (checked.get(key) === stampOf(stats)) return openArtifact(handle, stats.size);
    await handle.close();
    return null;
  };
  const ensure = async (key: string, digest: PublishedDigest, fetch: () => Promise<AsyncIterable<Uint8Array>>) => {
    if (await check(key, digest)) return;
    await folder.write(key, checkedBytes(await fetch(), digest));
    await check(key, digest);
  };
  const check = async (key: string, digest: PublishedDigest): Promise<boolean> => {
    const handle = await folder.open(key);
    if (handle === null) return false;
    const stamp = stampOf(await handle.stat());
    if (await isIntact(handle, digest)) {
      checked.set(key, stamp);
      return true;
    }
    log.warn({ digest: digestKey(digest) }, 'a cached artifact is damaged; it is fetched again');
    await folder.remove(key);
    return false;
  };
  return {
    open: async (digest, fetch) => {
      const key = `artifact ${digestKey(digest)}`;
      for (let attempt = 1; attempt <= attemptsMax; attempt++) {
        const open = await openChecked(key);
        if (open) return open;
        await flights(key, () => ensure(key, digest, fetch));
      }
      throw new Error(`the cache lost the artifact ${digestKey(digest)} ${attemptsMax} times while it was opened`);
    },
  };
}

/** Changes whenever the file is written. */
function stampOf({ ino, size, mtimeMs }: Stats): string {
  return `${ino} ${size} ${mtimeMs}`;
}

async function isIntact(handle: FileHandle, digest: PublishedDigest): Promise<boolean> {
  try {
    for await (const _ of checkedBytes(handle.createReadStream(), digest));
    return true;
  } catch (error) {
    if (error instanceof DigestMismatchError) return false;
    throw error;
  }
}

/** A small piece in one go: a stream costs more than its bytes. */
async function readHandle(handle: FileHandle, { start, end }: BlobRange): Promise<Readable | Buffer> {
  const length = end - start + 1;
  if (length > wholeReadBytesMax) return handle.createReadStream({ start, end });
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafeSlow(length), 0, length, start);
    if (bytesRead < length) throw new Error('a cached artifact became shorter while it was read');
    return buffer;
  } finally {
    await handle.close();
  }
}

function openArtifact(handle: FileHandle, sizeBytes: number): OpenArtifact {
  return {
    sizeBytes,
    read: (range) => readHandle(handle, range ?? { start: 0, end: sizeBytes - 1 }),
    close: () => handle.close(),
  };
}
