import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compareIdentifiers, identifierKey, normalizeIdentifier, preferIdentifier } from './identifiers.ts';

describe('preferIdentifier', () => {
  test('a CVE names a vulnerability before a GHSA, a GHSA before a vendor id', () => {
    const ids = ['SNYK-JS-EJS-1049328', 'GHSA-phwq-j96m-2c2q', 'CVE-2022-29078'];
    expect(preferIdentifier(ids)).toBe('CVE-2022-29078');
    expect(preferIdentifier(ids.slice(0, 2))).toBe('GHSA-phwq-j96m-2c2q');
    expect(preferIdentifier(ids.slice(0, 1))).toBe('SNYK-JS-EJS-1049328');
  });

  test('of several CVEs the earliest wins, counting numbers as numbers', () => {
    expect(preferIdentifier(['CVE-2020-10000', 'CVE-2020-9999', 'CVE-2021-1'])).toBe('CVE-2020-9999');
  });

  test('an empty list is refused, not answered with nothing', () => {
    expect(() => preferIdentifier([])).toThrow(RangeError);
  });

  test('the choice does not depend on the order of the list', () => {
    const id = fc.constantFrom(
      'CVE-2020-2',
      'cve-2020-2',
      'CVE-2020-10',
      'GHSA-2222-2222-2222',
      'GHSA-aaaa-2222-2222',
      'X-1',
      'x-1',
      'X-02',
      'X-2',
    );
    fc.assert(
      fc.property(fc.array(id, { minLength: 1 }), (ids) => {
        expect(preferIdentifier([...ids].reverse())).toBe(preferIdentifier(ids));
        expect([...ids].sort(compareIdentifiers)[0]).toBe(preferIdentifier(ids));
      }),
    );
  });
});

describe('normalizeIdentifier', () => {
  test.each([
    [' cve-2022-29078 ', 'CVE-2022-29078'],
    ['ghsa-PHWQ-j96m-2C2Q', 'GHSA-phwq-j96m-2c2q'],
    ['GHSA-phwq-j96m-2c2q', 'GHSA-phwq-j96m-2c2q'],
    ['SNYK-JS-EJS-1049328', 'SNYK-JS-EJS-1049328'],
    ['openSUSE-SU-2020:0001-1', 'openSUSE-SU-2020:0001-1'],
  ])('%s is spelt %s', (written, canonical) => {
    expect(normalizeIdentifier(written)).toBe(canonical);
  });

  test('spelling an identifier canonically never changes which identifier it is', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^(cve|CVE|GHSA|ghsa|x)-[A-Za-z0-9-]{1,12}$/), (id) => {
        expect(identifierKey(normalizeIdentifier(id))).toBe(identifierKey(id));
        expect(normalizeIdentifier(normalizeIdentifier(id))).toBe(normalizeIdentifier(id));
      }),
    );
  });
});

test('identifiers are the same whatever their capitals and the blanks around them', () => {
  expect(identifierKey(' Snyk-js-EJS-1 ')).toBe(identifierKey('SNYK-JS-EJS-1'));
  expect(identifierKey('CVE-2020-1')).not.toBe(identifierKey('CVE-2020-11'));
});
