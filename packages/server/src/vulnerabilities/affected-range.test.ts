import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { advisoryAffects, isAffected } from './affected-range.ts';
import { type AffectedEvent, type AffectedPackage, parseOsvRecord } from './osv-record.ts';

function npmPackage(events: AffectedEvent[], versions: string[] = []): AffectedPackage {
  const ranges: AffectedPackage['ranges'] = events.length === 0 ? [] : [{ type: 'SEMVER', repo: null, events }];
  return { ecosystem: 'npm', ecosystemRelease: null, name: 'example', versions, ranges, severity: null };
}

function affectedOf(affected: AffectedPackage, versions: string): string {
  return versions
    .split(' ')
    .filter((version) => isAffected(affected, version))
    .join(' ');
}

describe('the rules of the OSV schema', () => {
  test('introduced 0 alone affects every version, prereleases of zero included', () => {
    expect(affectedOf(npmPackage([{ introduced: '0' }]), '0.0.0-0 0.0.0 1.0.0 999.0.0')).toBe(
      '0.0.0-0 0.0.0 1.0.0 999.0.0',
    );
  });

  test('a fixed version is clean and what comes before it is not', () => {
    const affected = npmPackage([{ introduced: '0' }, { fixed: '1.0.2' }]);
    expect(affectedOf(affected, '0.9.0 1.0.1 1.0.2-rc.1 1.0.2 1.0.10')).toBe('0.9.0 1.0.1 1.0.2-rc.1');
  });

  test('the last affected version is affected and what comes after it is not', () => {
    const affected = npmPackage([{ introduced: '1.0.0' }, { last_affected: '2.1.214' }]);
    expect(affectedOf(affected, '0.9.9 1.0.0 2.1.214 2.1.215')).toBe('1.0.0 2.1.214');
  });

  test('several stretches in one range are told apart, however the record orders them', () => {
    const events = [{ introduced: '1.0.0' }, { fixed: '1.0.2' }, { introduced: '3.0.0' }, { fixed: '3.2.5' }];
    const versions = '0.9.0 1.0.0 1.0.2 2.0.0 3.0.0 3.2.4 3.2.5 4.0.0';
    expect(affectedOf(npmPackage(events), versions)).toBe('1.0.0 3.0.0 3.2.4');
    expect(affectedOf(npmPackage([...events].reverse()), versions)).toBe('1.0.0 3.0.0 3.2.4');
  });

  test('versions are compared as versions, not as text', () => {
    expect(affectedOf(npmPackage([{ introduced: '1.9.0' }, { fixed: '1.10.0' }]), '1.9.5 1.10.0 1.2.0')).toBe('1.9.5');
  });

  test('a stretch that ends where the next begins goes on, and one that begins where it ends is empty', () => {
    const touching = npmPackage([
      { introduced: '1.0.0' },
      { fixed: '2.0.0' },
      { introduced: '2.0.0' },
      { fixed: '3.0.0' },
    ]);
    expect(affectedOf(touching, '1.5.0 2.0.0 2.5.0 3.0.0')).toBe('1.5.0 2.0.0 2.5.0');
    expect(affectedOf(npmPackage([{ introduced: '1.0.0' }, { fixed: '1.0.0' }]), '1.0.0 1.0.1')).toBe('');
  });

  test('a limit caps, of several the widest counts, and * caps nothing', () => {
    const limited = (...limits: string[]) =>
      npmPackage([{ introduced: '1.0.0' }, ...limits.map((limit) => ({ limit }))]);
    expect(affectedOf(limited('2.0.0'), '1.9.9 2.0.0')).toBe('1.9.9');
    expect(affectedOf(limited('2.0.0', '3.0.0'), '2.5.0 3.0.0')).toBe('2.5.0');
    expect(affectedOf(limited('2.0.0', '*'), '0.9.0 2.5.0 30.0.0')).toBe('2.5.0 30.0.0');
  });

  test('a listed version is affected beside the ranges, in any spelling of it', () => {
    const affected = npmPackage([{ introduced: '2.0.0' }, { fixed: '2.1.0' }], ['1.0.0']);
    expect(affectedOf(affected, '1.0.0 1.0.0+build.5 1.0.1 2.0.5')).toBe('1.0.0 1.0.0+build.5 2.0.5');
  });

  test('one range that holds the version is enough', () => {
    const [first, second] = [
      npmPackage([{ introduced: '1.0.0' }, { fixed: '1.1.0' }]),
      npmPackage([{ introduced: '2.0.0' }]),
    ];
    expect(affectedOf({ ...first, ranges: [...first.ranges, ...second.ranges] }, '1.0.5 1.5.0 2.0.0')).toBe(
      '1.0.5 2.0.0',
    );
  });

  test('a GIT range says nothing about versions', () => {
    const affected: AffectedPackage = {
      ...npmPackage([]),
      ranges: [{ type: 'GIT', repo: 'https://example.org/r', events: [{ introduced: '0' }] }],
    };
    expect(affectedOf(affected, '1.0.0')).toBe('');
  });

  test('without ranges and versions nothing is affected', () => {
    expect(affectedOf(npmPackage([]), '1.0.0')).toBe('');
  });
});

describe('what cannot be read', () => {
  test('an installed version that is none is affected only when it is listed as it is written', () => {
    const affected = npmPackage([{ introduced: '0' }], ['not a version']);
    expect(isAffected(affected, 'not a version')).toBe(true);
    expect(isAffected(affected, 'neither is this')).toBe(false);
  });

  test('an unreadable fix clears nothing', () => {
    expect(affectedOf(npmPackage([{ introduced: '1.0.0' }, { fixed: 'soon' }]), '0.9.0 1.0.0 9.0.0')).toBe(
      '1.0.0 9.0.0',
    );
  });

  test('behind an unreadable beginning all is affected up to the last fix, and all without one', () => {
    expect(affectedOf(npmPackage([{ introduced: 'early' }, { fixed: '2.0.0' }]), '0.1.0 1.9.9 2.0.0')).toBe(
      '0.1.0 1.9.9',
    );
    expect(affectedOf(npmPackage([{ introduced: 'early' }]), '0.1.0 9.0.0')).toBe('0.1.0 9.0.0');
    expect(affectedOf(npmPackage([{ introduced: 'early' }, { fixed: 'late' }]), '0.1.0 9.0.0')).toBe('0.1.0 9.0.0');
  });

  test('an unreadable limit caps nothing', () => {
    expect(affectedOf(npmPackage([{ introduced: '1.0.0' }, { limit: 'somewhere' }]), '0.9.0 1.0.0 9.0.0')).toBe(
      '1.0.0 9.0.0',
    );
  });
});

const ordered = [
  '0.0.0-0',
  '0.0.0',
  '0.9.0',
  '0.10.0',
  '1.0.0-alpha',
  '1.0.0-alpha.1',
  '1.0.0',
  '2.0.0-rc.1',
  '2.0.0',
  '10.0.0',
];
const kinds = ['introduced', 'fixed', 'last_affected', 'limit'] as const;

interface Step {
  kind: (typeof kinds)[number];
  /** Index in `ordered`; -1 is the special value: `0` for introduced, `*` for limit. */
  at: number;
}

const stepArbitrary: fc.Arbitrary<Step> = fc
  .record({ kind: fc.constantFrom(...kinds), at: fc.integer({ min: -1, max: ordered.length - 1 }) })
  .map(({ kind, at }) => ({ kind, at: kind === 'fixed' || kind === 'last_affected' ? Math.max(at, 0) : at }));

function toEvent({ kind, at }: Step): AffectedEvent {
  const version = at === -1 ? (kind === 'limit' ? '*' : '0') : (ordered[at] ?? '');
  return { [kind]: version } as AffectedEvent;
}

/** Walks the whole order position by position and switches a lamp; knows of no version text. */
function isLampOn(steps: readonly Step[], target: number): boolean {
  const limits = steps.filter(({ kind }) => kind === 'limit');
  if (limits.length > 0 && !limits.some(({ at }) => at === -1 || target < at)) return false;
  let isOn = false;
  for (let position = -1; position <= target; position += 1) {
    for (const { kind, at } of steps) {
      if (at !== position || kind === 'limit') continue;
      if (kind === 'introduced') isOn = true;
      if (kind === 'fixed') isOn = false;
      if (kind === 'last_affected' && position < target) isOn = false;
    }
  }
  return isOn;
}

test('every range and list over a small order of versions is evaluated as a plain walk evaluates it', () => {
  const rangesArbitrary = fc.array(fc.array(stepArbitrary, { maxLength: 7 }), { maxLength: 3 });
  const listArbitrary = fc.subarray(ordered.map((_, index) => index));
  fc.assert(
    fc.property(rangesArbitrary, listArbitrary, (ranges, listed) => {
      const affected: AffectedPackage = {
        ...npmPackage(
          [],
          listed.map((index) => ordered[index] ?? ''),
        ),
        ranges: ranges.map((steps) => ({ type: 'SEMVER', repo: null, events: steps.map(toEvent) })),
      };
      for (const [target, version] of ordered.entries()) {
        const expected = listed.includes(target) || ranges.some((steps) => isLampOn(steps, target));
        expect(isAffected(affected, version), version).toBe(expected);
      }
    }),
    { numRuns: 3_000 },
  );
});

test('making one event of an orderly range unreadable never turns an affected version into a clean one', () => {
  const boundaries = fc.subarray(
    ordered.map((_, index) => index),
    { minLength: 1 },
  );
  fc.assert(
    fc.property(
      boundaries,
      fc.nat(),
      fc.constantFrom('fixed' as const, 'last_affected' as const),
      (indexes, pick, ending) => {
        const events = indexes.map((at, index) => toEvent({ kind: index % 2 === 0 ? 'introduced' : ending, at }));
        const blurred = events.map((event, index) =>
          index === pick % events.length ? ({ [Object.keys(event)[0] ?? '']: 'unreadable' } as AffectedEvent) : event,
        );
        for (const version of ordered) {
          if (isAffected(npmPackage(events), version))
            expect(isAffected(npmPackage(blurred), version), version).toBe(true);
        }
      },
    ),
    { numRuns: 1_000 },
  );
});

describe('advisoryAffects', () => {
  const record = {
    id: 'GHSA-2222-2222-2222',
    modified: '2024-01-01T00:00:00Z',
    affected: [
      {
        package: { ecosystem: 'npm', name: 'example' },
        ranges: [{ type: 'SEMVER', events: [{ introduced: '0' }, { fixed: '2.0.0' }] }],
      },
    ],
  };

  test('holds for the package, ecosystem and versions that it names and for no other', () => {
    const advisory = parseOsvRecord(record);
    expect(advisoryAffects(advisory, 'npm', 'example', '1.0.0')).toBe(true);
    expect(advisoryAffects(advisory, 'npm', 'example', '2.0.0')).toBe(false);
    expect(advisoryAffects(advisory, 'npm', 'example-two', '1.0.0')).toBe(false);
    expect(advisoryAffects(advisory, 'pypi', 'example', '1.0.0')).toBe(false);
  });

  test('a withdrawn advisory affects nothing', () => {
    const advisory = parseOsvRecord({ ...record, withdrawn: '2024-02-01T00:00:00Z' });
    expect(advisoryAffects(advisory, 'npm', 'example', '1.0.0')).toBe(false);
  });
});
