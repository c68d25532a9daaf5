import type { Hunk } from './patch-file.ts';
import { type Placement, placeImage } from './place-image.ts';
import { joinLines, splitLines, toByteLine } from './text-lines.ts';

export interface HunkReport {
  /** 1-based place among the hunks of its file. */
  hunk: number;
  outcome: 'applied' | 'already_present';
  /** 1-based line of the file where it was found. */
  line: number;
  /** How far that is from the stated line. */
  shift: number;
}

export type HunksOutcome =
  | { kind: 'applied'; bytes: Buffer; hunks: HunkReport[]; lineEnding: LineEnding }
  | { kind: 'failed'; hunk: number; reason: string };

/** `file_crlf`: the patch has line feeds, the file CRLF; they were matched as equal, and the file's own were written. */
export type LineEnding = 'as_patch' | 'file_crlf';

/**
 * Applies the hunks of one file without fuzz: every context and removed line must be there. A hunk that stands elsewhere
 * than stated is applied when its lines are found exactly once.
 */
export function applyHunks(original: Uint8Array, hunks: readonly Hunk[]): HunksOutcome {
  const lines = splitLines(original);
  const images = hunks.map(imagesOf);
  const exact = applyImages({ lines, keys: lines, images, lineEnding: 'as_patch' });
  const isPatchOfLineFeeds = images.every(({ hunk }) => hunk.lines.every(({ text }) => !text.endsWith('\r')));
  if (exact.kind === 'applied' || !isPatchOfLineFeeds || !isMostlyCrlf(lines)) return exact;
  return applyImages({ lines, keys: lines.map(withLineFeed), images, lineEnding: 'file_crlf' });
}

interface HunkImages {
  hunk: Hunk;
  /** The lines before and after the change. */
  before: string[];
  after: string[];
  atStart: boolean;
  atEnd: boolean;
}

function imagesOf(hunk: Hunk): HunkImages {
  const onSide = (dropped: 'removed' | 'added') =>
    hunk.lines.filter(({ kind }) => kind !== dropped).map(({ text, hasNewline }) => toByteLine(text, hasNewline));
  return {
    hunk,
    before: onSide('added'),
    after: onSide('removed'),
    atStart: hunk.lines[0]?.kind !== 'context',
    atEnd: hunk.lines.at(-1)?.kind !== 'context',
  };
}

interface Application {
  lines: readonly string[];
  /** The lines as they are compared. */
  keys: readonly string[];
  images: readonly HunkImages[];
  lineEnding: LineEnding;
}

interface Progress {
  result: string[];
  /** The first line that no hunk has consumed yet. */
  next: number;
  shift: number;
  hunks: HunkReport[];
}

function applyImages({ lines, keys, images, lineEnding }: Application): HunksOutcome {
  const progress: Progress = { result: [], next: 0, shift: 0, hunks: [] };
  for (const [index, image] of images.entries()) {
    const found = locate(image, keys, progress);
    if (found.kind === 'failed') return { kind: 'failed', hunk: index + 1, reason: found.reason };
    const { at, outcome } = found;
    const consumed = outcome === 'applied' ? image.before : image.after;
    for (let line = progress.next; line < at; line += 1) progress.result.push(lines[line] ?? '');
    const own = lines.slice(at, at + consumed.length);
    for (const line of outcome === 'applied' ? rewrite(image.hunk, own, lineEnding) : own) progress.result.push(line);
    progress.hunks.push({ hunk: index + 1, outcome, line: at + 1, shift: at - statedIndex(image.hunk) });
    progress.next = at + consumed.length;
    progress.shift = progress.next - (statedIndex(image.hunk) + image.before.length);
  }
  for (let line = progress.next; line < lines.length; line += 1) progress.result.push(lines[line] ?? '');
  return { kind: 'applied', bytes: joinLines(progress.result), hunks: progress.hunks, lineEnding };
}

type Located = { kind: 'located'; at: number; outcome: HunkReport['outcome'] } | { kind: 'failed'; reason: string };

function locate(image: HunkImages, keys: readonly string[], { next, shift }: Progress): Located {
  const expected = statedIndex(image.hunk) + shift;
  const place = (lines: readonly string[]): Placement =>
    placeImage({ ...image, lines: keys, image: lines, expected, isExpectedTrusted: shift === 0 });
  const before = place(image.before);
  const after = image.after.length === 0 ? { kind: 'absent' as const } : place(image.after);
  if (before.kind === 'ambiguous') return { kind: 'failed', reason: 'its lines stand in more than one place' };
  const isBeforePlaced = before.kind === 'found' && before.at >= next;
  const isAfterPlaced = after.kind === 'found' && after.at >= next;
  const isBeforeWhereStated = isBeforePlaced && before.at === expected;
  if (isBeforePlaced && (isBeforeWhereStated || !isAfterPlaced))
    return { kind: 'located', at: before.at, outcome: 'applied' };
  if (isBeforePlaced)
    return { kind: 'failed', reason: 'its lines stand in one place as before and in another as after the change' };
  if (isAfterPlaced && before.kind === 'absent') return { kind: 'located', at: after.at, outcome: 'already_present' };
  return { kind: 'failed', reason: 'the lines that it changes are not there' };
}

/** The 0-based line that the header states; a hunk without old lines names the line before it. */
function statedIndex({ oldStart, oldLines }: Hunk): number {
  return oldLines === 0 ? oldStart : oldStart - 1;
}

/** The lines after the change: context as the file has it, added lines with the file's own ending. */
function rewrite({ lines }: Hunk, own: readonly string[], lineEnding: LineEnding): string[] {
  const written: string[] = [];
  let position = 0;
  for (const { kind, text, hasNewline } of lines) {
    if (kind === 'added') written.push(withEnding(toByteLine(text, hasNewline), lineEnding));
    else {
      if (kind === 'context') written.push(own[position] ?? '');
      position += 1;
    }
  }
  return written;
}

function withEnding(line: string, lineEnding: LineEnding): string {
  return lineEnding === 'file_crlf' ? line.replace(/\n$/, '\r\n') : line;
}

function withLineFeed(line: string): string {
  return line.endsWith('\r\n') ? `${line.slice(0, -2)}\n` : line;
}

function isMostlyCrlf(lines: readonly string[]): boolean {
  const crlf = lines.filter((line) => line.endsWith('\r\n')).length;
  return crlf * 2 > lines.length;
}
