import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { describeVulnerability, joinByAliases } from './advisory-join.ts';
import { identifierKey } from './identifiers.ts';
import { parseOsvRecord } from './osv-record.ts';

function idsOf(records: readonly { id: string; aliases: string[] }[]): string[][] {
  return joinByAliases(records).map((group) => group.map(({ id }) => id));
}

describe('joinByAliases', () => {
  test('records that share an id or alias only through others are one vulnerability', () => {
    expect(
      idsOf([
        { id: 'GHSA-2222-2222-2222', aliases: ['CVE-2024-1'] },
        { id: 'PYSEC-2024-9', aliases: ['SNYK-1'] },
        { id: 'SNYK-1', aliases: ['cve-2024-1'] },
        { id: 'CVE-2024-2', aliases: [] },
      ]),
    ).toEqual([['GHSA-2222-2222-2222', 'PYSEC-2024-9', 'SNYK-1'], ['CVE-2024-2']]);
  });

  test('two sources that publish the same id are one vulnerability', () => {
    expect(
      idsOf([
        { id: 'CVE-2024-1', aliases: [] },
        { id: 'CVE-2024-1', aliases: [] },
      ]),
    ).toEqual([['CVE-2024-1', 'CVE-2024-1']]);
  });

  test('nothing joins to nothing', () => {
    expect(joinByAliases([])).toEqual([]);
  });

  const name = fc
    .integer({ min: 1, max: 12 })
    .chain((n) => fc.constantFrom(`CVE-2024-${n}`, `cve-2024-${n}`, `X-${n}`));
  const records = fc.array(fc.record({ id: name, aliases: fc.array(name, { maxLength: 3 }) }), { maxLength: 12 });

  test('the groups are those that repeated merging of overlapping name sets finds', () => {
    fc.assert(
      fc.property(records, (list) => {
        let sets = list.map(({ id, aliases }) => [id, ...aliases].map(identifierKey));
        const overlap = (a: string[] = [], b: string[] = []) => a.some((key) => b.includes(key));
        for (let pass = 0; pass < list.length; pass += 1) {
          sets = sets.map((set) => [...new Set(sets.filter((other) => overlap(set, other)).flat())]);
        }
        const groups = joinByAliases(list);
        for (const [a, first] of list.entries()) {
          const group = groups.find((members) => members.includes(first));
          for (const [b, second] of list.entries()) expect(group?.includes(second)).toBe(overlap(sets[a], sets[b]));
        }
        expect(groups.flat()).toHaveLength(list.length);
      }),
    );
  });

  test('the outcome does not depend on the order of the records', () => {
    fc.assert(
      fc.property(
        records.chain((list) => fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length }))),
        ([list, shuffled]) => {
          expect(idsOf(shuffled)).toEqual(idsOf(list));
        },
      ),
    );
  });

  test('a chain of a hundred thousand aliases joins without exhausting the stack', () => {
    const chain = Array.from({ length: 100_000 }, (_, index) => ({ id: `X-${index}`, aliases: [`X-${index + 1}`] }));
    expect(joinByAliases(chain)).toHaveLength(1);
  });
});

describe('describeVulnerability', () => {
  const severe = { severity: [{ type: 'CVSS_V3', score: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H' }] };
  const advisory = (id: string, aliases: string[], rest: object = {}) =>
    parseOsvRecord({ id, aliases, modified: '2024-01-01T00:00:00Z', ...rest });

  test('takes the preferred name, all other names by preference, and the worst that any advisory says', () => {
    const advisories = [
      advisory('SNYK-1', ['CVE-2024-10'], { database_specific: { severity: 'LOW' } }),
      advisory('GHSA-2222-2222-2222', ['CVE-2024-9', 'snyk-1'], severe),
    ];
    const expected = {
      identifier: 'CVE-2024-9',
      aliases: ['CVE-2024-10', 'GHSA-2222-2222-2222', 'SNYK-1'],
      severity: 'critical',
      cvss_score: 9.8,
    };
    expect(describeVulnerability(advisories)).toEqual(expected);
    expect(describeVulnerability(advisories.toReversed())).toEqual(expected);
  });

  test('without any score the score is null and not zero', () => {
    expect(describeVulnerability([advisory('X-1', [])])).toEqual({
      identifier: 'X-1',
      aliases: [],
      severity: 'unknown',
      cvss_score: null,
    });
  });
});
