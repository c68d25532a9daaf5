import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import type { SourceLimits } from './source-value.ts';
import { systemErrorCode } from './system-error.ts';

export type FolderFile = { name: string; path: string } | { name: string; problem: string };

/**
 * Yields the wanted regular files below a folder in the order of their names, named by their path inside it. Symbolic
 * links are not followed, devices and pipes are left alone, and so is what begins with a dot.
 */
export async function* folderFiles(
  folder: string,
  isWanted: (name: string) => boolean,
  limits: SourceLimits,
): AsyncGenerator<FolderFile> {
  let count = 0;
  for await (const file of walk(folder, '', limits.folderDepthMax)) {
    count += 1;
    if (count > limits.entriesMax)
      return yield { name: file.name, problem: `the folder has more than ${limits.entriesMax} files` };
    if ('problem' in file || isWanted(file.name)) yield file;
  }
}

async function* walk(folder: string, name: string, depthLeft: number): AsyncGenerator<FolderFile> {
  if (depthLeft === 0) return yield { name, problem: 'the folder lies too deep and was not read' };
  const entries = await list(folder);
  if (typeof entries === 'string') return yield { name, problem: `the folder cannot be read (${entries})` };
  for (const entry of entries) {
    const entryName = name === '' ? entry.name : `${name}/${entry.name}`;
    const entryPath = path.join(folder, entry.name);
    if (entry.name.startsWith('.')) continue;
    if (entry.isDirectory()) yield* walk(entryPath, entryName, depthLeft - 1);
    else if (entry.isFile()) yield { name: entryName, path: entryPath };
  }
}

async function list(folder: string): Promise<Dirent[] | string> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    return systemErrorCode(error);
  }
}
