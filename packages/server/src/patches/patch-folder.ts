import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { ecosystemFromWire } from '@sealsmith/ecosystems';
import { type PatchSet, type PatchSetProblem, readPatchSet } from './patch-set.ts';

const depthMax = 12;
const foldersMax = 200_000;

/**
 * Reads a folder of patches laid out as `<Ecosystem>/<name…>/<version>/spN/NNNN-<ID>.patch`, set by set in the order of
 * their paths. `root` holds the ecosystems' folders, or has them in its one folder `patches`. What cannot be read whole is
 * a problem with its path, never half a set; symbolic links are not followed.
 */
export async function* readPatchFolder(root: string): AsyncGenerator<PatchSet | PatchSetProblem> {
  const start = await findStart(root);
  if (start === null) {
    yield { path: root, problem: 'This is no folder that can be read.' };
    return;
  }
  const walk = { start, foldersLeft: foldersMax };
  for (const folder of start.folders) {
    const ecosystem = ecosystemFromWire(folder);
    if (ecosystem === null) yield { path: folder, problem: `${JSON.stringify(folder)} is not a supported ecosystem.` };
    else yield* readBelow(walk, [folder]);
  }
}

interface Start {
  folder: string;
  folders: string[];
}

interface Walk {
  start: Start;
  foldersLeft: number;
}

async function findStart(root: string): Promise<Start | null> {
  const entries = await listFolder(root);
  if (entries === null) return null;
  const folders = foldersOf(entries);
  const hasEcosystem = folders.some((folder) => ecosystemFromWire(folder) !== null);
  if (hasEcosystem || !folders.includes('patches')) return { folder: root, folders };
  const inner = path.join(root, 'patches');
  return { folder: inner, folders: foldersOf((await listFolder(inner)) ?? []) };
}

async function* readBelow(walk: Walk, segments: readonly string[]): AsyncGenerator<PatchSet | PatchSetProblem> {
  const relative = segments.join('/');
  const entries = await listFolder(path.join(walk.start.folder, ...segments));
  walk.foldersLeft -= 1;
  if (walk.foldersLeft < 0) throw new Error(`the patch folder has more than ${foldersMax} folders`);
  if (entries === null) {
    yield { path: relative, problem: 'The folder cannot be read.' };
    return;
  }
  if (/^sp\d+$/.test(segments.at(-1) ?? '')) {
    yield await readPatchSet(walk.start.folder, segments, entries);
    return;
  }
  const stray = entries.find((entry) => entry.isFile() && entry.name.endsWith('.patch'));
  if (stray) yield { path: `${relative}/${stray.name}`, problem: 'A patch lies outside of a folder spN.' };
  if (segments.length >= depthMax) {
    yield { path: relative, problem: 'The folders are nested too deeply.' };
    return;
  }
  for (const folder of foldersOf(entries)) yield* readBelow(walk, [...segments, folder]);
}

function foldersOf(entries: readonly Dirent[]): string[] {
  return entries
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .map((entry) => entry.name)
    .sort();
}

async function listFolder(folder: string): Promise<Dirent[] | null> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    const isUnreadable = error instanceof Error && 'code' in error && typeof error.code === 'string';
    if (isUnreadable) return null;
    throw error;
  }
}
