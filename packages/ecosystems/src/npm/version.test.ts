import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { InvalidVersionError } from '../errors.ts';
import { npmVersions } from './version.ts';

const orderFile = readFileSync(new URL('testdata/versions-order.txt', import.meta.url), 'utf8');
const orderLines = orderFile.split('\n').filter((line) => line !== '' && !line.startsWith('#'));

describe('the order of npm versions', () => {
  test.each(orderLines)('%s', (line) => {
    const [a = '', sign, b = ''] = line.split(' ');
    expect(['<', '=']).toContain(sign);
    const expected = sign === '<' ? -1 : 0;
    expect(npmVersions.compare(a, b)).toBe(expected);
    expect(npmVersions.compare(b, a)).toBe(expected === 0 ? 0 : 1);
  });

  const identifier = fc.oneof(fc.nat(30).map(String), fc.constantFrom('a', 'B', 'rc', 'sp', 'sp1', 'sp9', '-', '1a'));
  const version = fc
    .tuple(fc.nat(2), fc.nat(2), fc.nat(11), fc.array(identifier, { maxLength: 3 }), fc.boolean())
    .map(([major, minor, patch, pre, hasBuild]) =>
      [`${major}.${minor}.${patch}`, pre.length > 0 ? `-${pre.join('.')}` : '', hasBuild ? '+b' : ''].join(''),
    );

  test('is a total order: antisymmetric, transitive, and every version equals itself', () => {
    fc.assert(
      fc.property(version, version, version, (a, b, c) => {
        const { compare } = npmVersions;
        expect(compare(a, a)).toBe(0);
        expect(compare(a, b) + compare(b, a)).toBe(0);
        if (compare(a, b) <= 0 && compare(b, c) <= 0) expect(compare(a, c)).toBeLessThanOrEqual(0);
      }),
      { numRuns: 2000 },
    );
  });
});

test.each([
  '',
  '1',
  '1.2',
  'v1.2.3',
  '=1.2.3',
  ' 1.2.3',
  '1.2.3 ',
  '1.2.3\n',
  '01.2.3',
  '1.2.3-01',
  '1.2.3-',
  '1.2.3+',
])('what is not exactly a semantic version is refused: %j', (text) => {
  expect(() => npmVersions.parse(text)).toThrow(InvalidVersionError);
  expect(() => npmVersions.compare('1.0.0', text)).toThrow(InvalidVersionError);
});

test.each(['1.2.3.4', '^1.0.0', 'latest', '1.x', '9007199254740992.0.0', `1.0.0-${'a'.repeat(251)}`])(
  'a range, a tag and what is beyond the limits are no versions: %s',
  (text) => {
    expect(() => npmVersions.parse(text)).toThrow(InvalidVersionError);
  },
);

test('the canonical spelling leaves out build metadata, as registries do', () => {
  expect(npmVersions.parse('1.0.0-sp1+b')).toEqual({ text: '1.0.0-sp1+b', canonical: '1.0.0-sp1', isPrerelease: true });
  expect(npmVersions.parse('1.0.0+b')).toMatchObject({ canonical: '1.0.0', isPrerelease: false });
});
