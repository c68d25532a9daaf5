import { openPatchCursor, type PatchCursor } from './patch-cursor.ts';
import type { FilePatch, PatchFile } from './patch-file.ts';
import { readHunks } from './patch-hunks.ts';
import { assertInsidePath, readGitLinePath, readHeaderPath, stripSides } from './patch-path.ts';

export const patchTextMax = 10 * 1024 * 1024;
const filesMax = 5_000;

/**
 * Reads a git mailbox patch or a plain unified diff. The text is UTF-8 decoded without loss, carriage returns included.
 * Throws `MalformedPatchError` for anything that does not add up, and for paths and file types that no patch may bring.
 */
export function parsePatch(text: string): PatchFile {
  const cursor = openPatchCursor(text);
  if (text.length > patchTextMax) throw cursor.malformed(`the patch is larger than ${patchTextMax} characters`);
  const { subject, message } = readIntroduction(cursor);
  const files: FilePatch[] = [];
  for (let line = cursor.peek(); line !== null; line = cursor.peek()) {
    if (isSectionStart(cursor)) files.push(readSection(cursor));
    else if (/^(@@|diff --(cc|combined) )/.test(line))
      throw cursor.malformed('the diff names no file, or is a combined one');
    else cursor.advance();
    if (files.length > filesMax) throw cursor.malformed(`more than ${filesMax} files`);
  }
  if (files.length === 0) throw cursor.malformed('the patch changes no file');
  return { subject, message, files };
}

function isSectionStart(cursor: PatchCursor): boolean {
  const line = cursor.peek() ?? '';
  return (
    /^diff --(git|cc|combined) /.test(line) || (line.startsWith('--- ') && cursor.peek(1)?.startsWith('+++ ') === true)
  );
}

function readIntroduction(cursor: PatchCursor): { subject: string; message: string } {
  const headers = /^(From |[A-Za-z-]+: )/.test(cursor.peek() ?? '') ? readMailHeaders(cursor) : [];
  const message: string[] = [];
  for (let line = cursor.peek(); line !== null && !isSectionStart(cursor); line = cursor.peek()) {
    if (/^---\r?$/.test(line)) break;
    message.push(line.replace(/\r$/, ''));
    cursor.advance();
  }
  const subjectHeader = headers.find((header) => /^subject: /i.test(header))?.slice('subject: '.length);
  const subject = subjectHeader ?? message.find((line) => line.trim() !== '') ?? '';
  return { subject: subject.replace(/^(\s*\[[^\]]*\])+/, '').trim(), message: message.join('\n').trim() };
}

/** The header lines of a mail, continuation lines joined, up to the empty line after them. */
function readMailHeaders(cursor: PatchCursor): string[] {
  const headers: string[] = [];
  for (let line = cursor.peek(); line !== null && !isSectionStart(cursor); line = cursor.peek()) {
    cursor.advance();
    if (line.trim() === '') break;
    if (/^[ \t]/.test(line)) headers.push(`${headers.pop() ?? ''} ${line.trim()}`);
    else headers.push(line.trimEnd());
  }
  return headers;
}

interface GitHeader {
  gitLine: string | null;
  renameFrom?: string;
  renameTo?: string;
  isCreate?: boolean;
  isDelete?: boolean;
  newMode?: string;
}

function readSection(cursor: PatchCursor): FilePatch {
  const header = readGitHeader(cursor);
  if (/^(GIT binary patch|Binary files .* differ)\r?$/.test(cursor.peek() ?? '')) {
    cursor.advance();
    return describeFile({ header, names: null, hunks: [], isBinary: true }, cursor);
  }
  if (header.gitLine !== null && !cursor.peek()?.startsWith('--- ')) {
    return describeFile({ header, names: null, hunks: [], isBinary: false }, cursor);
  }
  const names = readNames(cursor);
  const hunks = readHunks(cursor);
  if (hunks.length === 0) throw cursor.malformed('the file has no hunk');
  return describeFile({ header, names, hunks, isBinary: false }, cursor);
}

function readGitHeader(cursor: PatchCursor): GitHeader {
  const first = cursor.peek() ?? '';
  if (first.startsWith('--- ')) return { gitLine: null };
  if (!first.startsWith('diff --git ')) throw cursor.malformed('this is a combined diff, one of a merge');
  const header: GitHeader = { gitLine: first };
  cursor.advance();
  for (let line = cursor.peek(); line !== null; line = cursor.peek()) {
    const match =
      /^(old mode|new mode|new file mode|deleted file mode|rename from|rename to|copy from|copy to) (.*)$/.exec(line);
    const indexMode = /^index [0-9a-f]+\.\.[0-9a-f]+(?: (\d+))?\r?$/.exec(line);
    if (match) readGitHeaderLine(header, { name: match[1] ?? '', value: match[2] ?? '' }, cursor);
    else if (indexMode?.[1] !== undefined) assertPlainFileMode(indexMode[1], cursor);
    else if (!indexMode && !/^(dis)?similarity index /.test(line)) break;
    cursor.advance();
  }
  return header;
}

function readGitHeaderLine(
  header: GitHeader,
  { name, value }: { name: string; value: string },
  cursor: PatchCursor,
): void {
  if (name.startsWith('copy'))
    throw cursor.malformed('the patch copies a file; only changes, renames, new and deleted files are read');
  if (name === 'rename from') header.renameFrom = readHeaderPath(value, cursor) ?? '';
  if (name === 'rename to') header.renameTo = readHeaderPath(value, cursor) ?? '';
  if (!name.endsWith('mode')) return;
  const mode = value.trim();
  assertPlainFileMode(mode, cursor);
  if (name === 'new file mode') header.isCreate = true;
  if (name === 'deleted file mode') header.isDelete = true;
  if (name.startsWith('new ')) header.newMode = mode;
}

function assertPlainFileMode(mode: string, cursor: PatchCursor): void {
  if (mode === '120000') throw cursor.malformed('the patch brings a symbolic link');
  if (mode === '160000') throw cursor.malformed('the patch brings a submodule');
  if (!/^100[0-7]{3}$/.test(mode)) throw cursor.malformed('the patch brings something that is not a plain file');
}

type Names = [string | null, string | null];

function readNames(cursor: PatchCursor): Names {
  const oldPath = readHeaderPath((cursor.peek() ?? '').slice('--- '.length), cursor);
  cursor.advance();
  const line = cursor.peek();
  if (!line?.startsWith('+++ ')) throw cursor.malformed('a line with +++ is missing');
  const newPath = readHeaderPath(line.slice('+++ '.length), cursor);
  if (oldPath === null && newPath === null) throw cursor.malformed('the diff names no file');
  cursor.advance();
  return stripSides(oldPath, newPath);
}

interface Section {
  header: GitHeader;
  names: Names | null;
  hunks: FilePatch['hunks'];
  isBinary: boolean;
}

function describeFile({ header, names, hunks, isBinary }: Section, cursor: PatchCursor): FilePatch {
  const [oldPath, newPath] = pathsOf(header, names, cursor);
  const kind = kindOf(header, [oldPath, newPath]);
  for (const path of [oldPath, newPath]) if (path !== null) assertInsidePath(path, cursor);
  if (kind === 'modify' && oldPath !== newPath) throw cursor.malformed('the diff names two different files');
  const oldLines = hunks.reduce((sum, hunk) => sum + hunk.oldLines, 0);
  const newLines = hunks.reduce((sum, hunk) => sum + hunk.newLines, 0);
  if ((kind === 'create' && oldLines > 0) || (kind === 'delete' && newLines > 0)) {
    throw cursor.malformed('a file that exists on one side only has lines on both');
  }
  if (kind === 'create' || kind === 'delete')
    if (hunks.length > 1) throw cursor.malformed('a whole file is more than one hunk');
  return {
    oldPath,
    newPath,
    kind,
    hunks,
    isBinary,
    ...(header.newMode === undefined ? {} : { newMode: header.newMode }),
  };
}

function pathsOf(header: GitHeader, names: Names | null, cursor: PatchCursor): Names {
  const { renameFrom, renameTo, gitLine } = header;
  if (renameFrom !== undefined && renameTo !== undefined) {
    const isOther = names !== null && (names[0] !== renameFrom || names[1] !== renameTo);
    if (isOther) throw cursor.malformed('the diff names other files than its rename');
    return [renameFrom, renameTo];
  }
  if (names !== null) return names;
  const path = readGitLinePath(gitLine ?? '', cursor);
  return [header.isCreate ? null : path, header.isDelete ? null : path];
}

function kindOf({ renameFrom, renameTo }: GitHeader, [oldPath, newPath]: Names): FilePatch['kind'] {
  if (renameFrom !== undefined && renameTo !== undefined) return 'rename';
  if (oldPath === null) return 'create';
  return newPath === null ? 'delete' : 'modify';
}
