import path from 'node:path';
import { readPlainFile } from '../plain-file.ts';
import type { SealedEntry } from './plan.ts';

const manifestBytesMax = 4 * 1024 * 1024;

/** The sealed entries of which `node_modules` still holds other bytes: a sealed package says its sealed version. */
export async function findStale(folder: string, entries: readonly SealedEntry[]): Promise<SealedEntry[]> {
  const stale: SealedEntry[] = [];
  for (const entry of entries) {
    const installed = await installedVersion(path.join(folder, entry.path));
    if (installed !== null && installed !== entry.sealedVersion) stale.push(entry);
  }
  return stale;
}

/** null when nothing is installed there. */
async function installedVersion(packageFolder: string): Promise<string | null> {
  const file = await readPlainFile(path.join(packageFolder, 'package.json'), manifestBytesMax);
  if ('failure' in file) return file.failure === 'absent' ? null : '';
  try {
    const { version } = JSON.parse(file.text) as { version?: unknown };
    return typeof version === 'string' ? version : '';
  } catch {
    return '';
  }
}
