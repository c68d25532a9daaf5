import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemClock } from '../platform/clock.ts';
import { type CacheFolder, openCacheFolder } from './cache-folder.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'sealsmith-cache-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const open = (bytesMax = 100) => openCacheFolder({ dir, bytesMax, clock: systemClock });
const write = (folder: CacheFolder, key: string, length = 40) => folder.write(key, [Buffer.alloc(length, key)]);

async function read(folder: CacheFolder, key: string): Promise<string | null> {
  const handle = await folder.open(key);
  if (handle === null) return null;
  return (await handle.readFile().finally(() => handle.close())).toString();
}

async function filePaths(): Promise<string[]> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
}

async function files(): Promise<string[]> {
  return (await filePaths()).map((file) => path.basename(file));
}

test('what was not used for longest goes first', async () => {
  const folder = await open();
  await write(folder, 'a');
  await write(folder, 'b');
  expect(await read(folder, 'a')).not.toBeNull();
  await write(folder, 'c');
  expect(
    [await read(folder, 'a'), await read(folder, 'b'), await read(folder, 'c')].map((text) => text !== null),
  ).toEqual([true, false, true]);
  expect(await files()).toHaveLength(2);
});

test('the order and the sizes outlive a restart', async () => {
  const first = await open();
  await write(first, 'old');
  await write(first, 'young');
  const [unused = ''] = await filePaths();
  await utimes(unused, new Date(2020, 1), new Date());
  const second = await open();
  await write(second, 'new');
  expect(await filePaths()).toHaveLength(2);
  expect(await filePaths()).not.toContain(unused);
});

test('a file of the same key takes the place and the room of the one before', async () => {
  const folder = await open();
  for (let time = 1; time <= 5; time++) await write(folder, 'same');
  await write(folder, 'other');
  expect(await read(folder, 'same')).not.toBeNull();
});

test('the file written last stays although it is larger than the whole cache', async () => {
  const folder = await open();
  await write(folder, 'a');
  await write(folder, 'huge', 500);
  expect(await read(folder, 'a')).toBeNull();
  expect((await read(folder, 'huge'))?.length).toBe(500);
  await write(folder, 'b');
  expect(await files()).toHaveLength(1);
});

test('bytes that end in an error leave nothing behind', async () => {
  const folder = await open();
  const failing = async function* () {
    yield Buffer.from('half');
    throw new Error('broken off');
  };
  await expect(folder.write('a', failing())).rejects.toThrow('broken off');
  expect(await read(folder, 'a')).toBeNull();
  expect(await files()).toEqual([]);
});

test('a key is never part of a path', async () => {
  const folder = await open();
  for (const key of ['../../escape', '/absolute', 'nul\u0000', '..']) await write(folder, key, 1);
  for (const file of await files()) expect(file).toMatch(/^[0-9a-f]{64}$/);
});

test('what a process left behind when it died is removed, what another one may be writing is not', async () => {
  await writeFile(path.join(dir, 'dead.tmp'), 'x');
  await utimes(path.join(dir, 'dead.tmp'), new Date(2020, 1), new Date(2020, 1));
  await writeFile(path.join(dir, 'alive.tmp'), 'x');
  await open();
  expect(await files()).toEqual(['alive.tmp']);
});
