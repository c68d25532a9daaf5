import fc from 'fast-check';
import { expect, test } from 'vitest';
import { AppError } from '../../platform/app-error.ts';
import { parseNpmPath } from './request-path.ts';

const scoped = { kind: 'packument', name: '@scope/name' };

test.each([
  ['ejs', { kind: 'packument', name: 'ejs' }],
  ['@scope%2fname', scoped],
  ['@scope%2Fname', scoped],
  ['%40scope%2Fname', scoped],
  ['@scope/name', scoped],
  ['ejs/2.7.4', { kind: 'manifest', name: 'ejs', versionOrTag: '2.7.4' }],
  ['@scope%2fname/latest', { kind: 'manifest', name: '@scope/name', versionOrTag: 'latest' }],
  ['@scope/name/1.0.0%2Bbuild', { kind: 'manifest', name: '@scope/name', versionOrTag: '1.0.0+build' }],
  ['ejs/-/ejs-2.7.4.tgz', { kind: 'tarball', name: 'ejs', version: '2.7.4', fileName: 'ejs-2.7.4.tgz' }],
  ['@s/n/-/n-1.0.0-sp1.tgz', { kind: 'tarball', name: '@s/n', version: '1.0.0-sp1', fileName: 'n-1.0.0-sp1.tgz' }],
  ['@s%2fn/-/n-1.0.0.tgz', { kind: 'tarball', name: '@s/n', version: '1.0.0', fileName: 'n-1.0.0.tgz' }],
  ['-/ping', { kind: 'ping' }],
  ['-/npm/v1/security/audits', { kind: 'other', path: 'npm/v1/security/audits' }],
])('%s', (path, target) => {
  expect(parseNpmPath(path)).toEqual(target);
});

test.each([
  '',
  '..',
  '%2e%2e',
  '../ejs',
  'ejs/../ejs',
  'ejs/..%2f..',
  '%2F..',
  'ejs%2f..%2fother',
  'ejs%252f1',
  '@scope',
  '@scope/',
  '@scope%2f..',
  '@scope%2f%2e%2e%2fname',
  '@scope/..',
  '@../name',
  'ejs\\..\\x',
  'ejs%5c..',
  'ejs%00',
  'ejs%0d%0aset-cookie:a',
  'ejs%',
  'ejs%zz',
  'ejs%c0%ae',
  'ejs/',
  'ejs//',
  'ejs/-',
  'ejs/-/',
  'ejs/-/ejs-1.0.0.tgz/',
  'ejs/-/other-1.0.0.tgz',
  'ejs/-/ejs-.tgz',
  'ejs/-/ejs-1.0.0.zip',
  'ejs/-/..%2fejs-1.0.0.tgz',
  'ejs/-/ejs-..%2f..%2fx.tgz',
  'ejs/-/ejs-1.0.0%00.tgz',
  'ejs/-/ejs-1.0.0%0d%0a.tgz',
  'ejs/-/ejs-1.0.0%22.tgz',
  'ejs/1.0.0/x',
  'ejs/%2e%2e%2f1',
  'node_modules',
  'favicon.ico',
])('%j is refused', (path) => {
  expect(() => parseNpmPath(path)).toThrow(AppError);
});

test('whatever is asked for, a name and a file never hold more than their own characters', () => {
  const piece = fc.constantFrom(
    '..',
    '.',
    '/',
    '%2f',
    '%2F',
    '%5c',
    '\\',
    '%00',
    '%0a',
    'ejs',
    '@a',
    '-',
    '1.0.0',
    '.tgz',
    '%',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 9 }), (pieces) => {
      const target = targetOf(pieces.join(''));
      if (target === null || !('name' in target)) return true;
      const file = target.kind === 'tarball' ? target.fileName : 'ejs';
      return /^(@[^/\\]+\/)?[^./\\@][^/\\]*$/.test(target.name) && /^[\w.+-]+$/.test(file);
    }),
  );
});

function targetOf(path: string) {
  try {
    return parseNpmPath(path);
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}
