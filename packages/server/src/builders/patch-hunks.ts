import type { PatchCursor } from './patch-cursor.ts';
import type { Hunk, HunkLine } from './patch-file.ts';

const hunksMax = 5_000;
const hunkHeader = /^@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@/;
const lineKinds: Readonly<Record<string, HunkLine['kind']>> = { ' ': 'context', '-': 'removed', '+': 'added' };

/** Reads the hunks at the cursor, up to the first line that belongs to none; each must hold the lines that its header counts. */
export function readHunks(cursor: PatchCursor): Hunk[] {
  const hunks: Hunk[] = [];
  while (cursor.peek()?.startsWith('@@')) {
    const previous = hunks.at(-1);
    if (hunks.length === hunksMax) throw cursor.malformed(`more than ${hunksMax} hunks in one file`);
    if (previous?.lines.some((line) => !line.hasNewline)) throw cursor.malformed('a hunk follows the end of the file');
    hunks.push(readHunk(cursor, previous));
    if (isSurplusLine(cursor)) throw cursor.malformed('the hunk has more lines than its header counts');
  }
  return hunks;
}

function readHunk(cursor: PatchCursor, previous: Hunk | undefined): Hunk {
  const counts = readHunkHeader(cursor);
  if (previous && firstOldLine(counts) < firstOldLine(previous) + previous.oldLines)
    throw cursor.malformed('the hunk overlaps the one before it');
  cursor.advance();
  const lines: HunkLine[] = [];
  const left = { old: counts.oldLines, new: counts.newLines };
  while (left.old > 0 || left.new > 0) {
    const line = readHunkLine(cursor);
    if (line.kind !== 'added') left.old -= 1;
    if (line.kind !== 'removed') left.new -= 1;
    if (left.old < 0 || left.new < 0) throw cursor.malformed('the hunk has more lines than its header counts');
    cursor.advance();
    if (cursor.peek()?.startsWith('\\ ')) {
      line.hasNewline = false;
      if (isFollowedOnItsSide(line, left)) throw cursor.malformed('a line follows the last line of the file');
      cursor.advance();
    }
    lines.push(line);
  }
  return { ...counts, lines };
}

/** A hunk without old lines names the line that it follows. */
function firstOldLine({ oldStart, oldLines }: Omit<Hunk, 'lines'>): number {
  return oldLines === 0 ? oldStart + 1 : oldStart;
}

function readHunkHeader(cursor: PatchCursor): Omit<Hunk, 'lines'> {
  const match = hunkHeader.exec(cursor.peek() ?? '');
  if (!match) throw cursor.malformed('this is not the header of a hunk');
  const [, oldStart, oldLines = '1', newStart, newLines = '1'] = match;
  const header = {
    oldStart: Number(oldStart),
    oldLines: Number(oldLines),
    newStart: Number(newStart),
    newLines: Number(newLines),
  };
  if (header.oldLines === 0 && header.newLines === 0) throw cursor.malformed('the hunk is empty');
  const startsAtNoLine =
    (header.oldStart === 0 && header.oldLines > 0) || (header.newStart === 0 && header.newLines > 0);
  if (startsAtNoLine) throw cursor.malformed('the hunk starts at line 0');
  return header;
}

function readHunkLine(cursor: PatchCursor): HunkLine {
  const line = cursor.peek();
  if (line === null) throw cursor.malformed('the patch ends inside a hunk');
  // Mail programs strip the lone space of an empty context line; git accepts that too.
  if (line === '') return { kind: 'context', text: '', hasNewline: true };
  const kind = lineKinds[line.charAt(0)];
  if (kind === undefined) throw cursor.malformed('the hunk has fewer lines than its header counts');
  return { kind, text: line.slice(1), hasNewline: true };
}

function isFollowedOnItsSide({ kind }: HunkLine, left: { old: number; new: number }): boolean {
  return (kind !== 'added' && left.old > 0) || (kind !== 'removed' && left.new > 0);
}

function isSurplusLine(cursor: PatchCursor): boolean {
  const line = cursor.peek();
  if (line === null || !/^[-+ \\]/.test(line)) return false;
  const isNextFile = line.startsWith('--- ') && cursor.peek(1)?.startsWith('+++ ') === true;
  // `-- ` ends a mail: git's version follows it, never more of a diff.
  const isSignature = /^-- ?\r?$/.test(line) && !/^[-+ \\@]/.test(cursor.peek(1) ?? '');
  return !isNextFile && !isSignature;
}
