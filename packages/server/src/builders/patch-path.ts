import type { PatchCursor } from './patch-cursor.ts';

/**
 * A path as a diff header spells it, without timestamp and quoting; null for `/dev/null`.
 * Git quotes a name that has unusual bytes as a C string, with octal escapes for each byte of its UTF-8.
 */
export function readHeaderPath(raw: string, cursor: PatchCursor): string | null {
  const spelled = raw.replace(/\r$/, '');
  const path = spelled.startsWith('"') ? unquote(spelled, cursor) : withoutTimestamp(spelled);
  return path === '/dev/null' ? null : path;
}

/** Both sides' paths without their `a/` and `b/`, which are taken off together or not at all. */
export function stripSides(oldPath: string | null, newPath: string | null): [string | null, string | null] {
  const hasSides = (oldPath?.startsWith('a/') ?? true) && (newPath?.startsWith('b/') ?? true);
  if (!hasSides) return [oldPath, newPath];
  return [oldPath?.slice(2) ?? null, newPath?.slice(2) ?? null];
}

/** The one path of a `diff --git a/P b/P` line, for the sections that have no other line with a name. */
export function readGitLinePath(line: string, cursor: PatchCursor): string {
  const rest = line.slice('diff --git '.length).replace(/\r$/, '');
  const quoted = /^("(?:[^"\\]|\\.)*") ("(?:[^"\\]|\\.)*")$/.exec(rest);
  const middle = (rest.length - 1) / 2;
  const [oldRaw, newRaw] = quoted
    ? [quoted[1] ?? '', quoted[2] ?? '']
    : [rest.slice(0, middle), rest.slice(middle + 1)];
  const [oldPath, newPath] = stripSides(readHeaderPath(oldRaw, cursor), readHeaderPath(newRaw, cursor));
  if (oldPath === null || oldPath !== newPath) throw cursor.malformed('the header names two different files');
  return oldPath;
}

/** Refuses every path that could lead out of the folder it is applied in, on any system. */
export function assertInsidePath(path: string, cursor: PatchCursor): void {
  const segments = path.split('/');
  if (path.startsWith('/') || /^[A-Za-z]:/.test(path)) throw cursor.malformed('the path is absolute');
  if (segments.includes('..')) throw cursor.malformed('the path leads out of the package');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused.
  if (/[\\\u0000-\u001f\u007f]/.test(path)) throw cursor.malformed('the path has a backslash or a control character');
  if (segments.some((segment) => segment === '' || segment === '.'))
    throw cursor.malformed('the path is not a plain one');
}

function withoutTimestamp(spelled: string): string {
  const tab = spelled.indexOf('\t');
  return tab === -1 ? spelled : spelled.slice(0, tab);
}

const singleEscapes: Readonly<Record<string, number>> = {
  a: 7,
  b: 8,
  t: 9,
  n: 10,
  v: 11,
  f: 12,
  r: 13,
  '"': 34,
  '\\': 92,
};

function unquote(spelled: string, cursor: PatchCursor): string {
  const quoted = /^"((?:[^"\\]|\\.)*)"\t?$/.exec(spelled)?.[1];
  if (quoted === undefined) throw cursor.malformed('the quoted path does not end');
  const pieces = [...quoted.matchAll(/\\([0-3][0-7]{2}|.)|[^\\]+/g)].map(([piece, code]) => {
    if (code === undefined) return Buffer.from(piece);
    const byte = code.length === 3 ? Number.parseInt(code, 8) : singleEscapes[code];
    if (byte === undefined) throw cursor.malformed('the quoted path has an unknown escape');
    return Buffer.from([byte]);
  });
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.concat(pieces));
  } catch {
    throw cursor.malformed('the path is not UTF-8');
  }
}
