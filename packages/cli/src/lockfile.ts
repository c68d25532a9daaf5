import { stat } from 'node:fs/promises';
import path from 'node:path';
import { sbomBytesMax } from '@sealsmith/contract';
import { ManifestError, type PackageLock, readPackageLock } from '@sealsmith/ecosystems';
import { CliError } from './cli-error.ts';
import { type PlainFileFailure, readPlainFile, systemErrorCode } from './plain-file.ts';

/** The lockfile that npm goes by. */
export interface Lockfile {
  fileName: string;
  /** Absolute. */
  path: string;
  /** A second lockfile beside it, which npm does not read. */
  ignoredFileName: string | null;
  text: string;
  /** Permission bits. */
  mode: number;
  lock: PackageLock;
}

/** npm reads the first of these that is there. */
const fileNames = ['npm-shrinkwrap.json', 'package-lock.json'] as const;

/** Finds and reads the lockfile of a folder. @throws CliError `usage` */
export async function readLockfile(folder: string, shownFolder: string): Promise<Lockfile> {
  if (!(await isFolder(folder))) throw new CliError('usage', `${shownFolder} is not a folder that can be read.`);
  const files = await Promise.all(
    fileNames.map(async (fileName) => ({
      fileName,
      file: await readPlainFile(path.join(folder, fileName), sbomBytesMax),
    })),
  );
  const present = files.filter(({ file }) => !('failure' in file && file.failure === 'absent'));
  const [chosen, ignored] = present;
  if (chosen === undefined) {
    throw new CliError(
      'usage',
      `${shownFolder} has neither package-lock.json nor npm-shrinkwrap.json. Run this in a folder of an npm project, or make a lockfile with "npm install --package-lock-only".`,
    );
  }
  const { fileName, file } = chosen;
  if ('failure' in file) throw new CliError('usage', `${fileName} cannot be read: ${reasons[file.failure]}.`);
  return {
    fileName,
    path: path.join(folder, fileName),
    ignoredFileName: ignored?.fileName ?? null,
    text: file.text,
    mode: file.mode & 0o7777,
    lock: parseLock(file.text, fileName),
  };
}

/** @throws CliError `usage` */
export function parseLock(text: string, fileName: string): PackageLock {
  try {
    return readPackageLock(text, fileName);
  } catch (error) {
    if (!(error instanceof ManifestError)) throw error;
    throw new CliError('usage', `The lockfile cannot be read. ${error.message}`, { cause: error });
  }
}

const reasons: Readonly<Record<PlainFileFailure, string>> = {
  absent: 'it has gone',
  not_plain: 'it is a link or no plain file; run this where the file itself lies',
  too_large: `it has more than ${sbomBytesMax} bytes`,
  not_text: 'it is not UTF-8 text',
  unreadable: 'the system does not let it be read',
};

async function isFolder(folder: string): Promise<boolean> {
  try {
    return (await stat(folder)).isDirectory();
  } catch (error) {
    systemErrorCode(error);
    return false;
  }
}
