import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { systemErrorCode } from '../plain-file.ts';

export interface FolderFile {
  /** Below the folder, with `/` between the parts. */
  name: string;
  path: string;
}

export interface ImportProblem {
  name: string;
  reason: string;
}

const depthMax = 64;

/** The plain files below a folder in the order of their names. Links are not followed, names with a leading dot are left alone. */
export async function* folderFiles(
  folder: string,
  { name = '', depth = 0 }: { name?: string; depth?: number } = {},
): AsyncGenerator<FolderFile | ImportProblem> {
  if (depth > depthMax) return yield { name, reason: `The folders are nested over ${depthMax} levels deep.` };
  const entries = await listFolder(folder);
  if (typeof entries === 'string')
    return yield { name: name || folder, reason: `The folder cannot be read (${entries}).` };
  for (const entry of entries) {
    const entryName = name === '' ? entry.name : `${name}/${entry.name}`;
    const entryPath = path.join(folder, entry.name);
    if (entry.isDirectory()) yield* folderFiles(entryPath, { name: entryName, depth: depth + 1 });
    else if (entry.isFile()) yield { name: entryName, path: entryPath };
  }
}

async function listFolder(folder: string): Promise<Dirent[] | string> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.filter(({ name }) => !name.startsWith('.')).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    return systemErrorCode(error);
  }
}
