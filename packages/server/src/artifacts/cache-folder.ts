import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Clock } from '../platform/clock.ts';

/** Files by key, bounded in bytes: what was not used for longest goes first. */
export interface CacheFolder {
  /** null when it is not there. */
  open(key: string): Promise<FileHandle | null>;
  /** The file appears whole or, when the bytes throw, not at all. The one written last stays whatever its size. */
  write(key: string, bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<void>;
  remove(key: string): Promise<void>;
}

interface Options {
  dir: string;
  bytesMax: number;
  clock: Clock;
}

interface Entry {
  sizeBytes: number;
  /** When its last use was written to disk, from where the next start learns the order. */
  touchedMs: number;
}

const touchIntervalMs = 60 * 60 * 1000;
const abandonedAfterMs = 60 * 60 * 1000;
const fileNameShape = /^[0-9a-f]{64}$/;

export async function openCacheFolder({ dir, bytesMax, clock }: Options): Promise<CacheFolder> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const entries = await readEntries(dir, clock);
  let totalBytes = [...entries.values()].reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const fileOf = (name: string) => path.join(dir, name.slice(0, 2), name);
  const forget = (name: string) => {
    totalBytes -= entries.get(name)?.sizeBytes ?? 0;
    entries.delete(name);
  };
  const remember = (name: string, entry: Entry) => {
    forget(name);
    entries.set(name, entry);
    totalBytes += entry.sizeBytes;
  };
  const remove = async (name: string) => {
    forget(name);
    await rm(fileOf(name), { force: true });
  };
  const evict = async () => {
    for (const name of entries.keys()) {
      if (totalBytes <= bytesMax || entries.size === 1) return;
      await remove(name);
    }
  };
  return {
    open: async (key) => {
      const name = nameOf(key);
      const handle = await orNull(open(fileOf(name)));
      if (handle === null) forget(name);
      else remember(name, await touched(handle, entries.get(name), clock));
      return handle;
    },
    write: async (key, bytes) => {
      const name = nameOf(key);
      const sizeBytes = await writeAside(fileOf(name), bytes);
      remember(name, { sizeBytes, touchedMs: clock.now().getTime() });
      await evict();
    },
    remove: (key) => remove(nameOf(key)),
  };
}

/** Keys hold text of clients and of upstream; no part of a path is made of it. */
function nameOf(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

/** What is on disk, least recently used first. */
async function readEntries(dir: string, clock: Clock): Promise<Map<string, Entry>> {
  const found: [string, Entry][] = [];
  for (const entry of await readdir(dir, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = path.join(entry.parentPath, entry.name);
    const stats = await orNull(stat(file));
    if (stats === null) continue;
    const { size, atimeMs, mtimeMs } = stats;
    if (fileNameShape.test(entry.name)) found.push([entry.name, { sizeBytes: size, touchedMs: atimeMs }]);
    // Left behind when a process died; a younger one may be another process at work.
    else if (mtimeMs < clock.now().getTime() - abandonedAfterMs) await rm(file, { force: true });
  }
  return new Map(found.sort(([, a], [, b]) => a.touchedMs - b.touchedMs));
}

/** null for a file that is not there, or not any more: another process may share the folder. */
async function orNull<Result>(access: Promise<Result>): Promise<Result | null> {
  try {
    return await access;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

async function touched(handle: FileHandle, known: Entry | undefined, clock: Clock): Promise<Entry> {
  const now = clock.now();
  if (known && now.getTime() - known.touchedMs < touchIntervalMs) return known;
  try {
    const { size, mtime } = await handle.stat();
    await handle.utimes(now, mtime);
    return { sizeBytes: size, touchedMs: now.getTime() };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Not synced: what a power cut damages is noticed when it is read, and fetched again. */
async function writeAside(file: string, bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<number> {
  const aside = `${file}.${randomUUID()}.tmp`;
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  try {
    const sink = createWriteStream(aside, { flags: 'wx', mode: 0o600 });
    await pipeline(bytes, sink);
    await rename(aside, file);
    return sink.bytesWritten;
  } catch (error) {
    await rm(aside, { force: true });
    throw error;
  }
}
