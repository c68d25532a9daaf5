import { randomUUID } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { platform } from 'node:os';
import path from 'node:path';

/**
 * Writes aside, makes it durable and renames: `file` has its old content or all of the new, whenever the power goes.
 * @param asideDir a folder of the same file system, where the end of the process may leave an unfinished file
 */
export async function writeFileWhole(file: string, bytes: Uint8Array | string, asideDir: string): Promise<void> {
  const aside = path.join(asideDir, `${randomUUID()}.tmp`);
  try {
    await writeDurably(aside, bytes);
    await rename(aside, file);
  } catch (error) {
    await rm(aside, { force: true });
    throw error;
  }
  await syncFolder(path.dirname(file));
}

async function writeDurably(file: string, bytes: Uint8Array | string): Promise<void> {
  const handle = await open(file, 'wx', 0o600);
  try {
    await handle.writeFile(bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Makes the names in a folder durable. */
export async function syncFolder(folder: string): Promise<void> {
  // Windows cannot open a folder; there the rename is durable by itself.
  if (platform() === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
