import { existsSync, readdirSync } from 'node:fs';
import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemClock } from '../clock.ts';
import { BlobMissingError } from './blob-store.ts';
import { createDiskBlobStore, removeAbandonedBlobs } from './disk.ts';

let root: string;

beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'sealsmith-blobs-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const filesBelow = (dir: string) =>
  readdirSync(dir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());

test('a blob that was put is read whole and in ranges, and nothing else stays on the disk', async () => {
  const store = createDiskBlobStore(root);
  const sha256 = await store.put(Buffer.from('sealed'));
  expect((await store.read(sha256)).toString()).toBe('sealed');
  expect((await (await store.open(sha256, { start: 1, end: 3 })).toArray()).join('')).toBe('eal');
  expect(filesBelow(root).map(({ name }) => name)).toEqual([sha256]);
});

test('the same bytes put many times at once are one blob', async () => {
  const store = createDiskBlobStore(root);
  const names = await Promise.all(Array.from({ length: 20 }, () => store.put(Buffer.alloc(100_000, 'x'))));
  expect(new Set(names).size).toBe(1);
  expect(filesBelow(root)).toHaveLength(1);
});

test('what is not there, and what is no digest, is missing', async () => {
  const store = createDiskBlobStore(root);
  await expect(store.read('0'.repeat(64))).rejects.toThrow(BlobMissingError);
  await expect(store.open('../../secret')).rejects.toThrow(BlobMissingError);
});

test('files of writers that died are removed, those of writers at work and blobs are not', async () => {
  const sha256 = await createDiskBlobStore(root).put(Buffer.from('sealed'));
  const unfinished = path.join(root, 'unfinished');
  await mkdir(unfinished, { recursive: true });
  const [old, young] = ['old.tmp', 'young.tmp'].map((name) => path.join(unfinished, name)) as [string, string];
  const longAgo = new Date(Date.now() - 2 * 60 * 60 * 1000);
  for (const file of [old, young]) await writeFile(file, 'sea');
  await utimes(old, longAgo, longAgo);
  await utimes(path.join(root, sha256.slice(0, 2), sha256.slice(2, 4), sha256), longAgo, longAgo);
  await removeAbandonedBlobs(root, systemClock);
  expect(existsSync(old)).toBe(false);
  expect(existsSync(young)).toBe(true);
  expect((await createDiskBlobStore(root).read(sha256)).toString()).toBe('sealed');
});

test('a folder that is not there yet has nothing to remove', async () => {
  const fresh = path.join(root, 'new');
  await removeAbandonedBlobs(fresh, systemClock);
  expect(filesBelow(fresh)).toEqual([]);
});
