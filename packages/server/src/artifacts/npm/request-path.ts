import { InvalidNameError, normalizeName } from '@sealsmith/ecosystems';
import { AppError } from '../../platform/app-error.ts';
import { versionOfFile } from './tarball-name.ts';

/** What a path of the npm registry asks for. */
export type NpmTarget =
  | { kind: 'packument'; name: string }
  | { kind: 'manifest'; name: string; versionOrTag: string }
  | { kind: 'tarball'; name: string; version: string; fileName: string }
  | { kind: 'ping' }
  | { kind: 'whoami' }
  /** An endpoint of the registry's own, which starts with `/-/`. */
  | { kind: 'other'; path: string };

const versionOrTagCharactersMax = 256;

/**
 * Reads a path as it stood in the request line, without the mount's prefix and the query: decoded once, piece by piece,
 * so that no encoding can move the border between name and file.
 * @throws AppError `not_found`, or `malformed_request` for an impossible package name
 */
export function parseNpmPath(path: string): NpmTarget {
  const segments = path.split('/').map(decodeSegment);
  if (segments[0] === '-') return ownEndpoint(segments.slice(1).join('/'));
  const isSplitScope = segments[0]?.startsWith('@') === true && !segments[0].includes('/') && segments.length > 1;
  const name = parseName(segments.slice(0, isSplitScope ? 2 : 1).join('/'));
  const rest = segments.slice(isSplitScope ? 2 : 1);
  const [first = '', second = ''] = rest;
  if (rest.length === 0) return { kind: 'packument', name };
  if (rest.length === 1 && isVersionOrTag(first)) return { kind: 'manifest', name, versionOrTag: first };
  const version = rest.length === 2 && first === '-' ? versionOfFile(name, second) : null;
  if (version === null) throw nothingHere();
  return { kind: 'tarball', name, version, fileName: second };
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch (error) {
    if (error instanceof URIError) throw nothingHere();
    throw error;
  }
}

function ownEndpoint(path: string): NpmTarget {
  if (path === 'ping' || path === 'whoami') return { kind: path };
  return { kind: 'other', path };
}

function parseName(text: string): string {
  try {
    return normalizeName('npm', text);
  } catch (error) {
    if (error instanceof InvalidNameError) throw new AppError('malformed_request', error.message, { cause: error });
    throw error;
  }
}

function isVersionOrTag(text: string): boolean {
  return text.length <= versionOrTagCharactersMax && /^[\w.+~!*'()-]+$/.test(text) && text !== '-';
}

function nothingHere(): AppError {
  return new AppError('not_found', 'There is nothing at this path of the npm registry.');
}
