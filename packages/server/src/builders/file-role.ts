/**
 * What a file of a package is to those who install it. `runtime` is everything that their programs might load: a file is
 * only called something else when its path says so plainly, because patches may leave out the other two.
 */
export type FileRole = 'runtime' | 'test' | 'housekeeping';

export function fileRole(path: string): FileRole {
  const segments = path.toLowerCase().split('/');
  const name = segments.at(-1) ?? '';
  const folders = segments.slice(0, -1);
  if (isTest(name, folders)) return 'test';
  return isHousekeeping(name, folders) ? 'housekeeping' : 'runtime';
}

const testFolder = /^(?:__tests__|(?:\w+_)?(?:tests?|specs?))$/;
const testFile = /(?:[._]test|[._]spec)\.[a-z]+$/;

function isTest(name: string, folders: readonly string[]): boolean {
  if (folders.some((folder) => testFolder.test(folder))) return true;
  return testFile.test(name) || (folders.length === 0 && /^tests?\.[a-z]+$/.test(name));
}

const documents =
  /^(?:authors|changelog|changes|code_of_conduct|contributing|contributors|history|license|licence|notice|readme|security|upgrading)(?:[-.]\w+)?$/;
const housekeepingFolders = new Set([
  '.circleci',
  '.github',
  '.husky',
  '.vscode',
  'bench',
  'benchmark',
  'benchmarks',
  'docs',
]);
const housekeepingFiles = [
  /\.(?:adoc|markdown|md|rst)$/,
  // A source map describes code for debuggers; no program runs it.
  /\.map$/,
  /^\.(?:editorconfig|gitattributes|gitignore|gitmodules|jshintrc|mocharc|npmignore|nycrc|travis)(?:\.\w+)?$/,
  /^\.(?:eslint|prettier)(?:rc|ignore)(?:\.\w+)?$/,
  /^(?:eslint|prettier)\.config\.\w+$/,
  /^(?:appveyor|codecov)\.ya?ml$/,
  /^(?:package-lock\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?)$/,
];

function isHousekeeping(name: string, folders: readonly string[]): boolean {
  if (housekeepingFolders.has(folders[0] ?? '')) return true;
  return isDocument(name) || housekeepingFiles.some((pattern) => pattern.test(name));
}

/** `history.js` is code; `HISTORY`, `HISTORY.txt` and `LICENSE-MIT` are not. */
function isDocument(name: string): boolean {
  return documents.test(name) && (!name.includes('.') || name.endsWith('.txt'));
}
