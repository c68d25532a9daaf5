import { randomUUID } from 'node:crypto';
import { open, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { CliError } from '../cli-error.ts';
import { type Lockfile, parseLock } from '../lockfile.ts';
import { systemErrorCode } from '../plain-file.ts';
import type { SealedEntry } from './plan.ts';

/**
 * Puts the text in the lockfile's place: it is there whole or not at all, with the permissions that the file had. Then
 * reads the file again and holds every redirection against it. @throws CliError `refused`
 */
export async function writeLockfile(lockfile: Lockfile, text: string, expected: readonly SealedEntry[]): Promise<void> {
  if ((lockfile.mode & 0o222) === 0) {
    throw new CliError(
      'refused',
      `${lockfile.fileName} is read-only, so it was left as it is. Make it writable and run this again.`,
    );
  }
  try {
    await replaceFile(lockfile, text);
  } catch (error) {
    if (error instanceof CliError) throw error;
    const code = systemErrorCode(error);
    throw new CliError('refused', `${lockfile.fileName} cannot be written (${code}); it was left as it is.`, {
      cause: error,
    });
  }
  await verifyLockfile(lockfile, expected);
}

async function replaceFile(lockfile: Lockfile, text: string): Promise<void> {
  const aside = `${lockfile.path}.${randomUUID()}.tmp`;
  try {
    await writeDurably(aside, text, lockfile.mode);
    if ((await readFile(lockfile.path, 'utf8')) !== lockfile.text) {
      throw new CliError(
        'refused',
        `${lockfile.fileName} was changed by something else meanwhile; it was left as it is. Run this again.`,
      );
    }
    await rename(aside, lockfile.path);
  } catch (error) {
    await rm(aside, { force: true });
    throw error;
  }
  await syncFolder(path.dirname(lockfile.path));
}

async function writeDurably(file: string, text: string, mode: number): Promise<void> {
  await using handle = await open(file, 'wx', 0o600);
  await handle.writeFile(text);
  // Not at its creation, where the umask would take bits away.
  await handle.chmod(mode);
  await handle.sync();
}

async function syncFolder(folder: string): Promise<void> {
  // Windows cannot open a folder; there the rename is durable by itself.
  if (path.sep === '\\') return;
  await using handle = await open(folder, 'r');
  await handle.sync();
}

async function verifyLockfile({ path: file, fileName }: Lockfile, expected: readonly SealedEntry[]): Promise<void> {
  const { packages } = parseLock(await readFile(file, 'utf8'), fileName);
  const packageAt = new Map(packages.map((entry) => [entry.path, entry]));
  const wrong = expected.find(({ path: place, to }) => {
    const entry = packageAt.get(place);
    return entry?.resolved !== to.resolved || entry.integrity !== to.integrity;
  });
  if (wrong === undefined) return;
  throw new CliError(
    'refused',
    `${fileName} was written, but its entry ${wrong.path} does not point to the sealed artifact.`,
  );
}
