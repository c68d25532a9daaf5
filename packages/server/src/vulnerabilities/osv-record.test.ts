import { describe, expect, test } from 'vitest';
import { parseOsvRecord } from './osv-record.ts';
import { InvalidRecordError } from './osv-schema.ts';

const minimal = { id: 'GHSA-2222-3333-4444', modified: '2024-02-21T05:27:47Z' };

function npmEntry(rest: object = {}) {
  return { package: { ecosystem: 'npm', name: 'example' }, ...rest };
}

function refusalOf(value: unknown): string {
  try {
    parseOsvRecord(value);
  } catch (error) {
    if (error instanceof InvalidRecordError) return error.detail;
    throw error;
  }
  return 'accepted';
}

describe('a whole record', () => {
  test('is read into every field of an advisory', () => {
    const advisory = parseOsvRecord({
      schema_version: '1.7.0',
      id: 'ghsa-2222-3333-AAAA',
      modified: '2024-02-21T05:27:47.123999Z',
      published: '2024-02-20T01:02:03+02:00',
      aliases: ['cve-2024-1', 'CVE-2024-1', 'SNYK-JS-EJS-1049328', 'GHSA-2222-3333-aaaa'],
      upstream: ['CVE-2024-5'],
      related: ['CVE-2023-9'],
      summary: 'Templates run code',
      details: 'An option **name** is compiled.',
      severity: [{ type: 'CVSS_V3', score: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H' }],
      affected: [
        {
          package: { ecosystem: 'PyPI', name: 'Some_Thing', purl: 'pkg:pypi/some-thing' },
          ranges: [
            { type: 'ECOSYSTEM', events: [{ introduced: '0' }, { fixed: '1.10' }], database_specific: { x: 1 } },
          ],
          versions: ['1.0', '1.1'],
          ecosystem_specific: {},
        },
        {
          package: { ecosystem: 'Debian:12', name: 'ejs' },
          ranges: [{ type: 'GIT', repo: 'https://example.org/r', events: [{ introduced: '0' }, { limit: '*' }] }],
        },
      ],
      references: [{ type: 'WEB', url: 'https://example.org/1' }],
      credits: [{ name: 'Somebody' }],
      database_specific: { severity: 'LOW' },
    });
    expect(advisory).toEqual({
      id: 'GHSA-2222-3333-aaaa',
      modified: '2024-02-21T05:27:47.123Z',
      published: '2024-02-19T23:02:03.000Z',
      withdrawn: null,
      aliases: ['CVE-2024-1', 'SNYK-JS-EJS-1049328'],
      related: ['CVE-2023-9'],
      summary: 'Templates run code',
      details: 'An option **name** is compiled.',
      severity: 'critical',
      cvssScore: 9.8,
      cvssVector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
      affected: [
        {
          ecosystem: 'pypi',
          ecosystemRelease: null,
          name: 'some-thing',
          versions: ['1.0', '1.1'],
          ranges: [{ type: 'ECOSYSTEM', repo: null, events: [{ introduced: '0' }, { fixed: '1.10' }] }],
          severity: null,
        },
        {
          ecosystem: 'deb',
          ecosystemRelease: '12',
          name: 'ejs',
          versions: [],
          ranges: [{ type: 'GIT', repo: 'https://example.org/r', events: [{ introduced: '0' }, { limit: '*' }] }],
          severity: null,
        },
      ],
      skippedEcosystems: [],
      references: [{ type: 'WEB', url: 'https://example.org/1' }],
    });
  });

  test('needs no more than an id and a time, and a list may be null', () => {
    const advisory = parseOsvRecord({
      ...minimal,
      aliases: null,
      affected: null,
      severity: null,
      references: null,
      withdrawn: null,
    });
    expect(advisory).toMatchObject({
      withdrawn: null,
      aliases: [],
      affected: [],
      references: [],
      severity: 'unknown',
      summary: '',
    });
  });

  test('entries of other ecosystems are left out and counted, whatever they hold', () => {
    const advisory = parseOsvRecord({
      ...minimal,
      affected: [
        { package: { ecosystem: 'Go', name: 'example.org/x' }, ranges: 'not even a list' },
        npmEntry(),
        { package: { ecosystem: 'crates.io', name: 'x' } },
        { ranges: [{ type: 'GIT', repo: 'https://example.org/r', events: [{ introduced: '0' }] }] },
      ],
    });
    expect(advisory.affected.map(({ name }) => name)).toEqual(['example']);
    expect(advisory.skippedEcosystems).toEqual(['Go', 'crates.io', 'GIT']);
  });

  test('a severity at a package counts for the advisory and stands at the package', () => {
    const severity = [{ type: 'CVSS_V3', score: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:L' }];
    const advisory = parseOsvRecord({ ...minimal, affected: [npmEntry({ severity }), npmEntry()] });
    expect(advisory).toMatchObject({
      severity: 'medium',
      cvssScore: 5.3,
      affected: [{ severity: 'medium' }, { severity: null }],
    });
  });

  test('a vector with a slip costs the score, not the advisory', () => {
    const severity = [{ type: 'CVSS_V3', score: 'CVSS:3.1/AV:Q' }];
    expect(parseOsvRecord({ ...minimal, severity, database_specific: { severity: 'HIGH' } })).toMatchObject({
      severity: 'high',
      cvssScore: null,
    });
  });
});

describe('a record that cannot be taken over is refused with its key', () => {
  const range = (events: unknown, type = 'SEMVER') => ({
    ...minimal,
    affected: [npmEntry(), npmEntry({ ranges: [{ type, events }] })],
  });

  test.each([
    ['text', 'record: must be an object'],
    [null, 'record: must be an object'],
    [[], 'record: must be an object'],
    [{ modified: minimal.modified }, 'id: is missing'],
    [{ ...minimal, id: '' }, 'id: must not be empty'],
    [{ ...minimal, id: 'a'.repeat(201) }, 'id: must have at most 200 characters'],
    [{ ...minimal, id: '../etc' }, 'id: must consist of letters, digits, ".", "_", ":" and "-"'],
    [{ id: 'X-1' }, 'modified: is missing'],
    [{ ...minimal, modified: '2024-02-30T00:00:00Z' }, 'modified: must be a time like 2026-11-21T13:45:07Z'],
    [{ ...minimal, published: 'yesterday' }, 'published: must be a time like 2026-11-21T13:45:07Z'],
    [{ ...minimal, withdrawn: '2024-02-20' }, 'withdrawn: must be a time like 2026-11-21T13:45:07Z'],
    [
      { ...minimal, aliases: ['CVE-1', 'GHSA-x,'] },
      'aliases[1]: must consist of letters, digits, ".", "_", ":" and "-"',
    ],
    [{ ...minimal, details: 7 }, 'details: must be a string'],
    [{ ...minimal, summary: 'a\0b' }, 'summary: must not contain a NUL character'],
    [{ ...minimal, affected: {} }, 'affected: must be a list'],
    [{ ...minimal, affected: ['npm'] }, 'affected[0]: must be an object'],
    [{ ...minimal, affected: [{ package: { ecosystem: 'npm' } }] }, 'affected[0].package.name: is missing'],
    [
      { ...minimal, affected: [{ package: { ecosystem: 'npm', name: '../x' } }] },
      'affected[0].package.name: is no npm package name',
    ],
    [{ ...minimal, affected: [npmEntry({ versions: [1.1] })] }, 'affected[0].versions[0]: must be a string'],
    [
      { ...minimal, references: Array(2_001).fill({ type: 'WEB', url: 'x' }) },
      'references: must have at most 2000 entries',
    ],
    [range([{ introduced: '0' }], 'CALENDAR'), 'affected[1].ranges[0].type: must be one of SEMVER, ECOSYSTEM, GIT'],
    [range([{ fixed: '1.0.0' }]), 'affected[1].ranges[0].events: must hold an introduced event'],
    [range(undefined), 'affected[1].ranges[0].events: is missing'],
    [
      range([{ introduced: '0', fixed: '1.0.0' }]),
      'affected[1].ranges[0].events: must each hold exactly one of introduced, fixed, last_affected, limit',
    ],
    [range([{ introduced: 0 }]), 'affected[1].ranges[0].events[0].introduced: must be a string'],
    [range(Array(10_001).fill({ introduced: '0' })), 'affected[1].ranges[0].events: must have at most 10000 entries'],
  ])('%#: %2$s', (value, refusal) => {
    expect(refusalOf(value)).toBe(refusal);
  });

  test('the error names the key apart, for clients that show it', () => {
    expect(() => parseOsvRecord({ ...minimal, id: 7 })).toThrowError(
      expect.objectContaining({
        code: 'invalid_parameter',
        problems: [{ location: 'body', name: 'id', message: 'must be a string' }],
      }),
    );
  });

  test('the largest record allowed is accepted', () => {
    const events = [{ introduced: '0' }, ...Array.from({ length: 9_999 }, (_, index) => ({ fixed: `1.0.${index}` }))];
    const versions = Array.from({ length: 100_000 }, (_, index) => `1.0.${index}`);
    expect(
      refusalOf({
        ...minimal,
        id: 'a'.repeat(200),
        affected: [npmEntry({ versions, ranges: [{ type: 'SEMVER', events }] })],
      }),
    ).toBe('accepted');
  });
});
