import { expect, test } from 'vitest';
import { readScan, toComponents } from './scanned-package.ts';
import { packageList, sealOf } from './testing/scene.ts';

test('a bare array is a list of packages too', () => {
  const { packages } = packageList('ejs@2.7.4');
  expect(readScan(packages)).toEqual(readScan({ packages }));
  expect(readScan(packages).packages).toEqual([
    { ecosystem: 'npm', packageName: 'ejs', packageVersion: '2.7.4', digests: [] },
  ]);
});

test('a bad item is a problem under its index and the others count', () => {
  const { packages } = packageList('ejs@2.7.4', 'ejs@not-a-version', 'not a name@1.0.0', 'lodash@1.0.0');
  const list = [...packages, { ecosystem: 'Gem', package_name: 'a', package_version: '1' }, null, { ecosystem: 'NPM' }];

  const read = readScan({ packages: list });

  expect(read.packages.map(({ packageName }) => packageName)).toEqual(['ejs', 'lodash']);
  expect(read.problems.map(({ index }) => index)).toEqual([1, 2, 4, 5, 6]);
  expect(read.problems[0]?.message).toContain('not-a-version');
  expect(read.problems[2]?.message).toContain('must be one of NPM');
  expect(read.problems[4]?.message).toContain('package_name');
});

test('names are normalised as their ecosystem does', () => {
  const item = { ecosystem: 'pypi', package_name: 'Jinja_2', package_version: '2.0' };
  expect(readScan([item]).packages).toMatchObject([{ ecosystem: 'pypi', packageName: 'jinja-2' }]);
});

test('it is said once for an ecosystem when its versions cannot be put in order', () => {
  const item = { ecosystem: 'RPM', package_name: 'bash', package_version: '5.1' };
  const { packages, problems } = readScan([
    ...packageList('ejs@1.0.0').packages,
    item,
    { ...item, package_name: 'zlib' },
  ]);

  expect(packages).toHaveLength(3);
  expect(problems).toHaveLength(1);
  expect(problems[0]).toMatchObject({ index: 1, message: expect.stringContaining('every other RPM package') });
});

test('of a lockfile only what the registry served counts', () => {
  const lock = {
    lockfileVersion: 3,
    packages: {
      '': { dependencies: { ejs: '^2.0.0', mine: 'file:../mine', forked: 'git+https://host.example/forked.git' } },
      'node_modules/ejs': { version: '2.7.4', integrity: 'sha512-ejs?option sha1-ejs' },
      '../mine': {},
      'node_modules/mine': { resolved: '../mine', link: true },
      'node_modules/forked': { version: '1.0.0', resolved: 'git+ssh://git@host.example/forked.git#0123456789' },
    },
  };

  expect(readScan(lock)).toEqual({
    format: 'package_lock',
    defaultSource: 'package-lock.json',
    packages: [{ ecosystem: 'npm', packageName: 'ejs', packageVersion: '2.7.4', digests: ['sha512-ejs', 'sha1-ejs'] }],
    problems: [],
  });
});

test.each([
  ['neither a list nor a lockfile', { name: 'shop' }],
  ['a text', 'ejs@2.7.4'],
  ['nothing', null],
])('%s is refused with what is accepted', (_what, body) => {
  const accepted = expect.stringMatching(/list of packages.*package-lock\.json/);
  expect(() => readScan(body)).toThrow(expect.objectContaining({ code: 'invalid_manifest', detail: accepted }));
});

test('a lockfile of an unknown version is refused with its reason', () => {
  const refusal = { code: 'invalid_manifest', detail: expect.stringContaining('version 4 is newer') };
  expect(() => readScan({ lockfileVersion: 4, packages: {} })).toThrow(expect.objectContaining(refusal));
});

test('more than 100,000 packages are refused', () => {
  const item = packageList('ejs@1.0.0').packages[0];
  expect(() => readScan(Array(100_001).fill(item))).toThrow(expect.objectContaining({ code: 'invalid_manifest' }));
});

test('the digest of a sealed artifact beats the version that is reported with it', () => {
  const sealed = sealOf('ejs@2.7.4', 12, []);
  const packages = [
    { ecosystem: 'npm', packageName: 'ejs', packageVersion: '2.7.4', digests: ['sha1-x', sealed.integrity] },
    { ecosystem: 'npm', packageName: 'ejs', packageVersion: '2.7.4-sp.12', digests: [] },
    { ecosystem: 'npm', packageName: 'ejs', packageVersion: '2.7.4', digests: ['sha512-other'] },
  ] as const;

  const components = toComponents(
    packages.map((item) => ({ ...item, digests: [...item.digests] })),
    new Map([[sealed.integrity, sealed]]),
  );

  const ejs = { ecosystem: 'npm', packageName: 'ejs', originVersion: '2.7.4' };
  expect(components).toEqual([
    { ...ejs, iteration: 12 },
    { ...ejs, iteration: 0 },
  ]);
});
