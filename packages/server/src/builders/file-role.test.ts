import { expect, test } from 'vitest';
import { fileRole } from './file-role.ts';

test.each([
  'test/a.js',
  'packages/x/tests/a.js',
  'src/__tests__/a.js',
  'spec/a.js',
  'mocha_test/a.js',
  'lib/a.test.ts',
  'lib/a.spec.js',
  'test.js',
])('%s is a test', (path) => expect(fileRole(path)).toBe('test'));

test.each([
  'CHANGELOG.md',
  'HISTORY',
  'History.txt',
  'README.md',
  'LICENSE-MIT',
  'docs/api.html',
  '.npmignore',
  '.github/workflows/ci.yml',
  '.travis.yml',
  '.eslintrc.json',
  '.prettierrc',
  'eslint.config.mjs',
  'package-lock.json',
  'benchmark/run.js',
  'dist/a.min.js.map',
])('%s is housekeeping', (path) => expect(fileRole(path)).toBe('housekeeping'));

test.each([
  'index.js',
  'lib/history.js',
  'lib/security.js',
  'lib/readme.js',
  'lib/test.js',
  'lib/latest/a.js',
  'lib/contest.js',
  'lib/docs/a.js',
  'package.json',
  'npm-shrinkwrap.json',
  '.babelrc',
  'testing.js',
])('%s may be loaded by users', (path) => expect(fileRole(path)).toBe('runtime'));
