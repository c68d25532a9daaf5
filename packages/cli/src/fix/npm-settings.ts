import path from 'node:path';
import { readPlainFile } from '../plain-file.ts';

const npmrcBytesMax = 1024 * 1024;

/** The line by which npm sends the token to a repository; npm itself puts the variable's value in. */
export function tokenLineFor(repository: string): string {
  return `${npmAddressOf(repository)}:_authToken=\${SEALSMITH_TOKEN}`;
}

/** Whether the .npmrc of the folder has settings for the repository. */
export async function knowsRepository(folder: string, repository: string): Promise<boolean> {
  const file = await readPlainFile(path.join(folder, '.npmrc'), npmrcBytesMax);
  return (
    'text' in file && file.text.split(/\r?\n/).some((line) => line.trimStart().startsWith(npmAddressOf(repository)))
  );
}

/** npm names a repository without its protocol. */
function npmAddressOf(repository: string): string {
  return repository.replace(/^https?:/, '');
}
