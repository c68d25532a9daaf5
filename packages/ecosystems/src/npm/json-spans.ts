/** Where a JSON value stands in its text (`end` is exclusive), so that it can be replaced and all else kept byte for byte. */
export interface JsonSpan {
  readonly start: number;
  readonly end: number;
  /** By decoded key, the last of equal keys as JSON.parse has it; null for everything but an object. */
  readonly members: ReadonlyMap<string, JsonMember> | null;
}

export interface JsonMember {
  readonly keyStart: number;
  readonly keyEnd: number;
  readonly value: JsonSpan;
}

/** The text is no JSON from `offset` on, or nests deeper than `jsonDepthMax` there. */
export class JsonSyntaxError extends Error {
  readonly offset: number;

  constructor(offset: number) {
    super(`JSON syntax error at offset ${offset}`);
    this.name = 'JsonSyntaxError';
    this.offset = offset;
  }
}

export const jsonDepthMax = 256;

/** A byte order mark counts as a blank. Throws JsonSyntaxError. */
export function parseJsonSpans(text: string): JsonSpan {
  const cursor: Cursor = { text, at: text.startsWith('\uFEFF') ? 1 : 0 };
  const span = readValue(cursor, 0);
  skipBlanks(cursor);
  if (cursor.at < text.length) throw new JsonSyntaxError(cursor.at);
  return span;
}

interface Cursor {
  readonly text: string;
  at: number;
}

function readValue(cursor: Cursor, depth: number): JsonSpan {
  skipBlanks(cursor);
  const start = cursor.at;
  if (depth > jsonDepthMax) throw new JsonSyntaxError(start);
  let members: Map<string, JsonMember> | null = null;
  const first = cursor.text[start];
  if (first === '{') members = readObject(cursor, depth);
  else if (first === '[') readArray(cursor, depth);
  else if (first === '"') skipString(cursor);
  else skipLiteral(cursor);
  return { start, end: cursor.at, members };
}

function readObject(cursor: Cursor, depth: number): Map<string, JsonMember> {
  const members = new Map<string, JsonMember>();
  cursor.at += 1;
  if (skipIf(cursor, '}')) return members;
  do {
    skipBlanks(cursor);
    const keyStart = cursor.at;
    skipString(cursor);
    const keyEnd = cursor.at;
    expect(cursor, ':');
    const value = readValue(cursor, depth + 1);
    members.set(JSON.parse(cursor.text.slice(keyStart, keyEnd)), { keyStart, keyEnd, value });
  } while (skipIf(cursor, ','));
  expect(cursor, '}');
  return members;
}

function readArray(cursor: Cursor, depth: number): void {
  cursor.at += 1;
  if (skipIf(cursor, ']')) return;
  do {
    readValue(cursor, depth + 1);
  } while (skipIf(cursor, ','));
  expect(cursor, ']');
}

function skipString(cursor: Cursor): void {
  const { text } = cursor;
  if (text[cursor.at] !== '"') throw new JsonSyntaxError(cursor.at);
  for (let at = cursor.at + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quoteCode) {
      cursor.at = at + 1;
      return;
    }
    if (code < 0x20) throw new JsonSyntaxError(at);
    if (code !== backslashCode) continue;
    if (!escapeSequence.test(text.slice(at, at + 6))) throw new JsonSyntaxError(at);
    at += 1;
  }
  throw new JsonSyntaxError(text.length);
}

function skipLiteral(cursor: Cursor): void {
  literal.lastIndex = cursor.at;
  const match = literal.exec(cursor.text);
  if (match === null) throw new JsonSyntaxError(cursor.at);
  cursor.at += match[0].length;
}

function skipIf(cursor: Cursor, character: string): boolean {
  skipBlanks(cursor);
  if (cursor.text[cursor.at] !== character) return false;
  cursor.at += 1;
  return true;
}

function expect(cursor: Cursor, character: string): void {
  if (!skipIf(cursor, character)) throw new JsonSyntaxError(cursor.at);
}

function skipBlanks(cursor: Cursor): void {
  while (blankCodes.has(cursor.text.charCodeAt(cursor.at))) cursor.at += 1;
}

const quoteCode = 0x22;
const backslashCode = 0x5c;
const blankCodes = new Set([0x20, 0x09, 0x0a, 0x0d]);
const escapeSequence = /^\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/;
const literal = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
