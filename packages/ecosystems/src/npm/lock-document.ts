import { ManifestError } from '../errors.ts';
import { JsonSyntaxError, parseJsonSpans } from './json-spans.ts';

/** A JSON object as it came in: its keys and values are anything. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Bounds of a lockfile from outside; a lock of the largest monorepos stays far below. */
export const lockLimits = {
  characters: 64 * 1024 * 1024,
  entries: 200_000,
  requirements: 2_000_000,
  pathCharacters: 1024,
  /** How many `node_modules` a path may hold. */
  nesting: 64,
  /** How many folders a workspace may lie below the project or the workspace around it. */
  folders: 32,
  /** How far a package may be from the nearest direct dependency. */
  distance: 64,
};

/** A lockfile under reading: gives out typed parts of it, and names the key of what is wrong. */
export interface LockDocument {
  readonly fileName: string;
  readonly root: JsonObject;
}

/** Throws ManifestError with the line where the text stops being JSON. */
export function openLockDocument(text: string, fileName: string): LockDocument {
  if (text.length > lockLimits.characters) {
    throw new ManifestError(fileName, `it has over ${lockLimits.characters} characters`);
  }
  return toLockDocument(parseJson(text, fileName), fileName);
}

/** For JSON that is parsed already. Throws ManifestError. */
export function toLockDocument(root: unknown, fileName: string): LockDocument {
  if (!isObject(root)) throw new ManifestError(fileName, 'it is not a JSON object');
  return { fileName, root };
}

export function failure(document: LockDocument, key: string, reason: string): ManifestError {
  return new ManifestError(document.fileName, reason, { key });
}

/** The object under a key; an absent one is empty. */
export function objectAt(document: LockDocument, parent: JsonObject, key: KeyPath): JsonObject {
  const value = parent[key.name];
  if (value === undefined) return {};
  if (!isObject(value)) throw failure(document, key.path, 'it is not an object');
  return value;
}

/** The text under a key; null when absent, and for the `false` that npm 5 wrote for "unknown". */
export function textAt(document: LockDocument, parent: JsonObject, key: KeyPath): string | null {
  const value = parent[key.name];
  if (value === undefined || value === false) return null;
  if (typeof value !== 'string') throw failure(document, key.path, 'it is not a string');
  return value;
}

/** A key and how the user finds it. */
export interface KeyPath {
  readonly name: string;
  readonly path: string;
}

export function memberKey(parentPath: string, name: string): KeyPath {
  return { name, path: parentPath === '' ? name : `${parentPath}.${name}` };
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parseJson(text: string, fileName: string): unknown {
  try {
    return JSON.parse(text.startsWith('\uFEFF') ? text.slice(1) : text);
  } catch (cause) {
    const line = lineOfSyntaxError(text);
    throw new ManifestError(fileName, 'it is not JSON', { cause, ...(line === null ? {} : { line }) });
  }
}

function lineOfSyntaxError(text: string): number | null {
  try {
    parseJsonSpans(text);
    return null;
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    return text.slice(0, error.offset).split('\n').length;
  }
}
