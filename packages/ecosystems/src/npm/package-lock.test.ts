import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ManifestError } from '../errors.ts';
import type { LockedPackage } from '../locked-package.ts';
import { readPackageLock } from './package-lock.ts';

const lockV3 = readFileSync(new URL('testdata/lock-v3.json', import.meta.url), 'utf8');
const lockV1 = readFileSync(new URL('testdata/lock-v1.json', import.meta.url), 'utf8');

describe('lockfileVersion 3', () => {
  const lock = readPackageLock(lockV3, 'package-lock.json');
  const at = (path: string) => packageAt(lock.packages, path);

  test('lists every package in the order of the file, and neither links nor workspaces', () => {
    expect(lock).toMatchObject({ lockfileVersion: 3, projectName: 'shop' });
    expect(lock.packages.map(({ path }) => path)).toEqual([
      'node_modules/bundler',
      'node_modules/bundler/node_modules/packed',
      'node_modules/express-like',
      'node_modules/fork',
      'node_modules/fsevents-like',
      'node_modules/old',
      'node_modules/plugin',
      'node_modules/qs-like',
      'node_modules/express-like/node_modules/qs-like',
      'node_modules/remote',
      'node_modules/runner',
      'node_modules/send-like',
      'node_modules/range',
      'packages/cart/node_modules/lonely',
    ]);
  });

  test('gives every fact of an entry', () => {
    expect(at('node_modules/range')).toEqual({
      name: 'range',
      version: '1.5.0',
      path: 'node_modules/range',
      resolved: 'https://registry.example/range/-/range-1.5.0.tgz',
      integrity: 'sha512-range',
      isDirect: false,
      scope: 'prod',
      via: ['express-like', 'send-like'],
      isBundled: false,
      source: 'registry',
    });
  });

  test('what a workspace requires is direct, also when it lies in the workspace itself', () => {
    expect(at('packages/cart/node_modules/lonely')).toMatchObject({ isDirect: true, via: [] });
    expect(at('node_modules/qs-like')).toMatchObject({ isDirect: true, via: [], version: '6.9.0' });
  });

  test('the nearest node_modules wins: the nested copy is the one that its holder requires', () => {
    expect(at('node_modules/express-like/node_modules/qs-like')).toMatchObject({
      isDirect: false,
      via: ['express-like'],
    });
  });

  test('an alias gives the real name', () => {
    expect(at('node_modules/old')).toMatchObject({ name: 'moment-like', version: '2.29.0', isDirect: true });
  });

  test('dev, optional and peer packages say so, and a bundled one does', () => {
    expect(at('node_modules/runner')).toMatchObject({ scope: 'dev', isDirect: true });
    expect(at('node_modules/fsevents-like')).toMatchObject({ scope: 'optional', isDirect: true });
    expect(at('node_modules/plugin')).toMatchObject({ scope: 'peer', isDirect: false, via: ['express-like'] });
    expect(at('node_modules/bundler/node_modules/packed')).toMatchObject({
      isBundled: true,
      scope: 'dev',
      resolved: null,
      integrity: null,
      via: ['runner', 'bundler'],
    });
  });

  test('git and remote tarballs are told from registry packages', () => {
    const others = lock.packages.filter(({ source }) => source === 'other');
    expect(others.map(({ name }) => name)).toEqual(['fork', 'remote']);
  });
});

describe('lockfileVersion 1', () => {
  const lock = readPackageLock(lockV1, 'package-lock.json');
  const at = (path: string) => packageAt(lock.packages, path);

  test('gives the paths that later versions spell out, in the order of the file', () => {
    expect(lock.packages.map(({ path }) => path)).toEqual([
      'node_modules/app-core',
      'node_modules/app-core/node_modules/shared',
      'node_modules/circle-a',
      'node_modules/circle-b',
      'node_modules/deep',
      'node_modules/from-git',
      'node_modules/from-url',
      'node_modules/of-local',
      'node_modules/old',
      'node_modules/pack',
      'node_modules/pack/node_modules/inner',
      'node_modules/shared',
    ]);
  });

  test('a top-level package that none requires is direct; a requirement goes to the nearest copy', () => {
    expect(at('node_modules/app-core')).toMatchObject({ isDirect: true, via: [] });
    expect(at('node_modules/app-core/node_modules/shared')).toMatchObject({ isDirect: false, via: ['app-core'] });
    expect(at('node_modules/shared')).toMatchObject({ isDirect: false, via: ['app-core', 'deep'] });
  });

  test('what a linked folder requires is direct', () => {
    expect(at('node_modules/of-local')).toMatchObject({ isDirect: true, scope: 'dev' });
  });

  test('a circle that nothing else requires begins at its first package', () => {
    expect(at('node_modules/circle-a')).toMatchObject({ isDirect: true, via: [] });
    expect(at('node_modules/circle-b')).toMatchObject({ isDirect: false, via: ['circle-a'] });
  });

  test('an alias, a bundled package and the sources are read', () => {
    expect(at('node_modules/old')).toMatchObject({ name: '@s/moment-like', version: '2.29.0', source: 'registry' });
    expect(at('node_modules/pack/node_modules/inner')).toMatchObject({
      isBundled: true,
      resolved: null,
      scope: 'optional',
      via: ['pack'],
    });
    expect(at('node_modules/from-git').source).toBe('other');
    expect(at('node_modules/from-url')).toMatchObject({
      source: 'other',
      version: 'https://files.example/from-url.tgz',
    });
  });
});

describe('lockfileVersion 2', () => {
  test('is read from its packages section, and a byte order mark does no harm', () => {
    const text = lockV3.replace('"lockfileVersion": 3', '"lockfileVersion": 2');
    const { packages } = readPackageLock(lockV3, 'package-lock.json');
    expect(readPackageLock(`\uFEFF${text}`, 'npm-shrinkwrap.json')).toMatchObject({ lockfileVersion: 2, packages });
  });
});

describe('a lockfile that cannot be read whole', () => {
  const entry = (packages: unknown) => JSON.stringify({ lockfileVersion: 3, packages });
  const nested = (depth: number): object =>
    depth === 0 ? {} : { dependencies: { a: { version: '1.0.0', ...nested(depth - 1) } } };
  const chain = Array.from({ length: 80 }, (_, i) => [
    `node_modules/p${i}`,
    { version: '1.0.0', dependencies: { [`p${i + 1}`]: '*' } },
  ]);

  test.each([
    ['an empty file', '', null],
    ['a list', '[]', null],
    ['no version', '{}', 'lockfileVersion'],
    ['a version of text', '{"lockfileVersion":"3"}', 'lockfileVersion'],
    ['a newer version', '{"lockfileVersion":4,"packages":{}}', 'lockfileVersion'],
    ['no packages', '{"lockfileVersion":3}', 'packages'],
    ['packages in a list', '{"lockfileVersion":2,"packages":[]}', 'packages'],
    ['a name that is no text', '{"lockfileVersion":3,"name":1,"packages":{}}', 'name'],
    ['an entry of text', entry({ 'node_modules/a': '1.0.0' }), 'packages["node_modules/a"]'],
    ['an entry without version', entry({ 'node_modules/a': {} }), 'packages["node_modules/a"]'],
    ['no version number', entry({ 'node_modules/a': { version: 'latest' } }), 'packages["node_modules/a"].version'],
    ['a version of numbers', entry({ 'node_modules/a': { version: 1 } }), 'packages["node_modules/a"].version'],
    ['a list of requirements', entry({ '': { dependencies: ['a'] } }), 'packages[""].dependencies'],
    ['a requirement of numbers', entry({ '': { dependencies: { a: 1 } } }), 'packages[""].dependencies.a'],
    [
      'a way out of the folder',
      entry({ 'node_modules/../../a/node_modules/b': { version: '1.0.0' } }),
      'packages["node_modules/../../a/node_modules/b"]',
    ],
    ['a hidden name', entry({ 'node_modules/.a': { version: '1.0.0' } }), 'packages["node_modules/.a"]'],
    [
      'an alias to a path',
      entry({ 'node_modules/a': { version: '1.0.0', name: '../a' } }),
      'packages["node_modules/a"]',
    ],
    ['a link to nowhere', entry({ 'node_modules/a': { link: true, resolved: 'a' } }), 'packages["node_modules/a"]'],
    ['a link without target', entry({ 'node_modules/a': { link: true } }), 'packages["node_modules/a"]'],
    ['too long a path', entry({ [`node_modules/${'a/'.repeat(600)}b`]: {} }), null],
    ['too deep a folder', entry({ [`${'a/'.repeat(40)}b`]: {} }), null],
    ['too deep a path', entry({ [Array(70).fill('node_modules/a').join('/')]: { version: '1.0.0' } }), null],
    [
      'too long a chain',
      entry({ '': { dependencies: { p0: '*' } }, ...Object.fromEntries(chain) }),
      'packages["node_modules/p64"]',
    ],
    ['version 1: too deep', JSON.stringify({ lockfileVersion: 1, ...nested(70) }), null],
    ['version 1: a list', '{"lockfileVersion":1,"dependencies":[]}', 'dependencies'],
    ['version 1: no version', '{"lockfileVersion":1,"dependencies":{"a":{}}}', 'dependencies.a'],
    [
      'version 1: no such version',
      '{"lockfileVersion":1,"dependencies":{"a":{"version":"x"}}}',
      'dependencies.a.version',
    ],
    [
      'version 1: a path for a name',
      '{"lockfileVersion":1,"dependencies":{"../a":{"version":"1.0.0"}}}',
      'dependencies.../a',
    ],
  ])('%s is refused with the file and the key', (_, text, key) => {
    const error = errorOf(() => readPackageLock(text, 'a/package-lock.json'));
    expect(error).toBeInstanceOf(ManifestError);
    expect(error).toMatchObject({ fileName: 'a/package-lock.json', ...(key === null ? {} : { key }) });
    expect(String(error)).toContain('a/package-lock.json');
  });

  test('broken JSON is refused with its line', () => {
    expect(errorOf(() => readPackageLock('{\n  "a": 1,\n  "b" 2\n}\n', 'package-lock.json'))).toMatchObject({
      line: 3,
    });
    expect(errorOf(() => readPackageLock('{\n  "a": 1\n', 'package-lock.json'))).toMatchObject({ line: 3 });
  });

  test('a version that is newer is called newer', () => {
    expect(() => readPackageLock('{"lockfileVersion":4}', 'l')).toThrow(/version 4 is newer/);
  });

  test('over 200,000 entries are refused', () => {
    const packages = Object.fromEntries(
      Array.from({ length: 200_001 }, (_, i) => [`node_modules/p${i}`, { version: '1.0.0' }]),
    );
    expect(() => readPackageLock(entry(packages), 'l')).toThrow(/over 200000 entries/);
    const old = Object.fromEntries(Array.from({ length: 200_001 }, (_, i) => [`p${i}`, { version: '1.0.0' }]));
    expect(() => readPackageLock(JSON.stringify({ lockfileVersion: 1, dependencies: old }), 'l')).toThrow(
      /over 200000 entries/,
    );
  });
});

test('names of the object prototype are names like any other', () => {
  const text = `{"lockfileVersion":3,"packages":{"":{"dependencies":{"constructor":"1","__proto__":"1"}},
    "node_modules/constructor":{"version":"1.0.0","dependencies":{"toString":"1"}},
    "node_modules/toString":{"version":"1.0.0"},"node_modules/@s/__proto__":{"version":"1.0.0","__proto__":{"dev":true}}}}`;
  const { packages } = readPackageLock(text, 'package-lock.json');
  expect(packages.map(({ name, isDirect, scope }) => [name, isDirect, scope])).toEqual([
    ['constructor', true, 'prod'],
    ['toString', false, 'prod'],
    ['@s/__proto__', false, 'prod'],
  ]);
  expect(packages[1]?.via).toEqual(['constructor']);
  expect(({} as { dev?: unknown }).dev).toBeUndefined();
  const hostile = '{"lockfileVersion":3,"packages":{"node_modules/__proto__":{"version":"1.0.0"}}}';
  expect(() => readPackageLock(hostile, 'l')).toThrow(ManifestError);
});

test.each([1, 3])('50,000 entries of lockfileVersion %i are read in linear time', (lockfileVersion) => {
  const large = lockOf(lockfileVersion, 50_000);
  const start = performance.now();
  expect(readPackageLock(large, 'l').packages).toHaveLength(50_000);
  // Well under a second on an idle machine; a quadratic reader takes minutes.
  expect(performance.now() - start).toBeLessThan(5_000);
});

describe('any text', () => {
  const name = fc.constantFrom('a', 'b', '@s/c', '..', '', '__proto__', 'constructor');
  const path = fc.array(fc.oneof(name, fc.constant('node_modules'), fc.constantFrom('packages/x', '/')), {
    maxLength: 5,
  });
  const version = fc.oneof(
    fc.constantFrom('1.0.0', 'npm:a@1.0.0', 'file:../x', 'git+ssh://x', 'npm:@', 'x'),
    fc.jsonValue(),
  );
  const requirements = fc.oneof(fc.dictionary(name, fc.constantFrom('*', 'https://x')), fc.jsonValue());
  const entry = fc.oneof(
    fc.record(
      {
        version,
        link: fc.boolean(),
        resolved: fc.oneof(
          path.map((p) => p.join('/')),
          fc.jsonValue(),
        ),
        dependencies: requirements,
        requires: requirements,
      },
      { requiredKeys: [] },
    ),
    fc.jsonValue(),
  );
  const document = fc.record({
    lockfileVersion: fc.constantFrom<unknown>(1, 2, 3, 4, '1', null),
    name: fc.oneof(fc.constant('x'), fc.jsonValue()),
    packages: fc.oneof(
      fc.dictionary(
        path.map((p) => p.join('/')),
        entry,
      ),
      fc.jsonValue(),
    ),
    dependencies: fc.oneof(fc.dictionary(name, entry), fc.jsonValue()),
  });
  const text = fc.oneof(
    fc.string(),
    fc.json(),
    document.map((value) => JSON.stringify(value)),
    brokenCopyOf(lockV3),
    brokenCopyOf(lockV1),
  );

  test('is a whole lockfile or a ManifestError, never another failure', () => {
    fc.assert(
      fc.property(text, (input) => {
        const error = errorOf(() => readPackageLock(input, 'package-lock.json'));
        if (error !== null) expect(error).toBeInstanceOf(ManifestError);
      }),
      { numRuns: 5000 },
    );
  });
});

function brokenCopyOf(lock: string) {
  return fc
    .tuple(fc.nat(lock.length), fc.nat(30), fc.string({ maxLength: 5 }))
    .map(([at, removed, added]) => lock.slice(0, at) + added + lock.slice(at + removed));
}

function lockOf(lockfileVersion: number, count: number): string {
  const next = (i: number) => ({
    [`p${(i * 7 + 1) % count}`]: '*',
    [`p${i + 1}`]: '*',
    [`p${Math.floor(i / 2)}`]: '*',
  });
  const names = Array.from({ length: count }, (_, i) => i);
  if (lockfileVersion === 1) {
    const dependencies = Object.fromEntries(names.map((i) => [`p${i}`, { version: '1.0.0', requires: next(i) }]));
    return JSON.stringify({ lockfileVersion, dependencies });
  }
  const packages = names.map((i) => [`node_modules/p${i}`, { version: '1.0.0', dependencies: next(i) }]);
  return JSON.stringify({
    lockfileVersion,
    packages: { '': { dependencies: { p0: '*' } }, ...Object.fromEntries(packages) },
  });
}

function packageAt(packages: readonly LockedPackage[], path: string): LockedPackage {
  const found = packages.find((entry) => entry.path === path);
  if (found === undefined) throw new Error(`no package at ${path}`);
  return found;
}

function errorOf(work: () => unknown): unknown {
  try {
    work();
    return null;
  } catch (error) {
    return error;
  }
}
