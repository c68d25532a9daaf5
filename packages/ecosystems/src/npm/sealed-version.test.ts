import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { InvalidVersionError } from '../errors.ts';
import { npmSealedSpelling } from './sealed-version.ts';
import { npmVersions } from './version.ts';

const { sealedVersionOf, parseSealedVersion } = npmSealedSpelling;

test.each([
  ['1.2.3', 1, '1.2.3-sp1'],
  ['1.2.3', 9, '1.2.3-sp9'],
  ['1.2.3', 10, '1.2.3-sp.10'],
  ['1.2.3', 999_999, '1.2.3-sp.999999'],
  ['1.0.0-beta.1', 1, '1.0.0-beta.1.sp1'],
  ['1.0.0-beta.1', 12, '1.0.0-beta.1.sp.12'],
  ['1.0.0-sp', 10, '1.0.0-sp.sp.10'],
  ['1.0.0-sp10', 2, '1.0.0-sp10.sp2'],
  ['1.0.0+build.5', 1, '1.0.0-sp1+build.5'],
  ['1.0.0-rc.1+a-sp1', 3, '1.0.0-rc.1.sp3+a-sp1'],
] as const)('%s sealed for the %ith time is %s, and back', (originVersion, iteration, sealed) => {
  expect(sealedVersionOf(originVersion, iteration)).toBe(sealed);
  expect(parseSealedVersion(sealed)).toEqual({ originVersion, iteration });
});

test.each(
  [
    ['1.0.0', '1.0.0-spam', '1.0.0-sp', '1.0.0-sp0', '1.0.0-sp01', '1.0.0-sp10', '1.0.0-sp.9', '1.0.0-sp.010'],
    ['1.0.0-SP1', '1.0.0-sp-1', '1.0.0-sp1x', '1.0.0-xsp1', '1.0.0-a-sp1', '1.0.0-sp1.0', '1.0.0+sp1', '1.0.0+a-sp1'],
    ['1.0-sp1', 'v1.0.0-sp1', '1.0.0-sp.1000000', '1.0.0-sp.99999999999999999999', '1.0.0-sp1.sp2', 'sp1', '-sp1', ''],
  ].flat(),
)('what merely looks sealed is no sealed version: %j', (version) => {
  expect(parseSealedVersion(version)).toBeNull();
});

describe('sealing refuses', () => {
  test.each(['1.0', 'v1.0.0', '1.0.0-sp1', '1.0.0-sp.10', '1.0.0-sp1.sp2', `1.0.0-${'a'.repeat(250)}`])(
    'an origin that is no version, is sealed, or leaves no room: %s',
    (originVersion) => {
      expect(() => sealedVersionOf(originVersion, 1)).toThrow(InvalidVersionError);
    },
  );

  test.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 1_000_000])('the iteration %d', (iteration) => {
    expect(() => sealedVersionOf('1.0.0', iteration)).toThrow(InvalidVersionError);
  });
});

const identifier = fc.oneof(fc.nat(30).map(String), fc.constantFrom('a', 'rc', 'sp', 'sp0', 'sp01', 'sp10', 'a-sp1'));
const origin = fc
  .tuple(fc.nat(99), fc.array(identifier, { maxLength: 4 }), fc.constantFrom('', '+b', '+sp1', '+a.b-sp2'))
  .map(([patch, pre, build]) => `1.0.${patch}${pre.length > 0 ? `-${pre.join('.')}` : ''}${build}`)
  .filter((version) => parseSealedVersion(version) === null);
const iteration = fc.integer({ min: 1, max: 30 });

test('every sealed version is valid, reads back to its parts, and lies above its prerelease origin', () => {
  fc.assert(
    fc.property(origin, iteration, (originVersion, n) => {
      fc.pre(isSealable(originVersion));
      const sealed = sealedVersionOf(originVersion, n);
      expect(parseSealedVersion(sealed)).toEqual({ originVersion, iteration: n });
      const { isPrerelease } = npmVersions.parse(originVersion);
      expect(npmVersions.compare(sealed, originVersion)).toBe(isPrerelease ? 1 : -1);
    }),
    { numRuns: 3000 },
  );
});

test('two different seals never have one spelling', () => {
  fc.assert(
    fc.property(origin, iteration, origin, iteration, (originA, a, originB, b) => {
      fc.pre(isSealable(originA) && isSealable(originB) && (originA !== originB || a !== b));
      expect(sealedVersionOf(originA, a)).not.toBe(sealedVersionOf(originB, b));
    }),
    { numRuns: 3000 },
  );
});

function isSealable(originVersion: string): boolean {
  return !/(?:-|\.)sp(?:[1-9]|\.[1-9]\d+)(?:\+|$)/.test(originVersion.replace(/\+.*/, ''));
}
