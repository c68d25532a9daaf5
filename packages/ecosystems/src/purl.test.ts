import fc from 'fast-check';
import { expect, test } from 'vitest';
import { InvalidNameError, InvalidPurlError, UnsupportedEcosystemError } from './errors.ts';
import { fromPurl, purlOf } from './purl.ts';

test('old npm names keep their case, because JSONStream and jsonstream are two packages', () => {
  const jsonStream = { ecosystem: 'npm', name: 'JSONStream', version: '1.3.5' } as const;
  expect(purlOf(jsonStream)).toBe('pkg:npm/JSONStream@1.3.5');
  expect(fromPurl('pkg:npm/JSONStream@1.3.5')).toEqual(jsonStream);
});

test.each([
  ['pkg:npm/@babel/core@7.0.0', { ecosystem: 'npm', name: '@babel/core', version: '7.0.0' }],
  ['pkg:NPM/%40babel/core', { ecosystem: 'npm', name: '@babel/core', version: null }],
  ['pkg:npm/a@1.0.0?vcs_url=x#dist', { ecosystem: 'npm', name: 'a', version: '1.0.0' }],
  ['pkg:pypi/Zope.Interface@1.0%2Bsp1', { ecosystem: 'pypi', name: 'zope-interface', version: '1.0+sp1' }],
  ['pkg:deb/debian/curl@7.50.3-1?arch=i386', { ecosystem: 'deb', name: 'curl', version: '7.50.3-1' }],
  [
    'pkg:rpm/fedora/curl@7.50.3-1.fc25?arch=i386&epoch=2',
    { ecosystem: 'rpm', name: 'curl', version: '2:7.50.3-1.fc25' },
  ],
] as const)('%s', (purl, expected) => {
  expect(fromPurl(purl)).toEqual(expected);
});

test.each([
  '',
  'npm/a',
  'pkg:',
  'pkg:npm',
  'pkg:npm/',
  'pkg:npm/%zz',
  'pkg:npm/a/../b@1',
  'pkg:npm/%2e%2e',
  'pkg:maven/a@1',
])('what names no package is refused: %j', (text) => {
  expect(() => fromPurl(text)).toThrow(InvalidPurlError);
});

test('a type that is none of ours is named', () => {
  expect(() => fromPurl('pkg:gem/rails@7.0.0')).toThrow(
    new UnsupportedEcosystemError('gem', 'Packages of the type "gem" are not supported.'),
  );
});

test('an invalid name is never written into a package URL', () => {
  expect(() => purlOf({ ecosystem: 'npm', name: '../x', version: '1.0.0' })).toThrow(InvalidNameError);
});

test('any text is a package, or one of the two typed errors', () => {
  const text = fc.oneof(
    fc.string(),
    fc.string().map((rest) => `pkg:npm/${rest}`),
    fc.string({ unit: 'binary' }),
  );
  fc.assert(
    fc.property(text, (purl) => {
      try {
        fromPurl(purl);
      } catch (error) {
        if (!(error instanceof InvalidPurlError || error instanceof UnsupportedEcosystemError)) throw error;
      }
    }),
    { numRuns: 3000 },
  );
});
