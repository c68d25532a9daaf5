import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type PackageFacts, packageStateOf } from './package-state.ts';

const a = { identifier: 'CVE-2026-1', aliases: ['GHSA-aaaa'], severity: 'high', cvssScore: 7.5 } as const;
const b = { identifier: 'CVE-2026-2', aliases: [], severity: 'low', cvssScore: null } as const;
const known = [a, b].map((vulnerability) => ({ ...vulnerability, aliases: [...vulnerability.aliases] }));
const closesA = seal(1, ['CVE-2026-1']);
const closesBoth = seal(2, ['CVE-2026-1', 'CVE-2026-2']);

function seal(iteration: number, closedIdentifiers: string[]) {
  return { iteration, sealedVersion: `1.0.0-sp${iteration}`, closedIdentifiers };
}

function stateOf(facts: Partial<PackageFacts>) {
  return packageStateOf({
    seenIterations: [0],
    vulnerabilities: known,
    seals: [],
    resolution: { outcome: 'no_rule' },
    fixStatus: null,
    patch: null,
    ...facts,
  });
}

describe('what is to be done about a package version', () => {
  const leadsTo = (sealed: typeof closesA) => ({ outcome: 'sealed', sealed }) as const;
  const table: [string, Partial<PackageFacts>, string][] = [
    ['nothing has been done', {}, 'generate_fix'],
    ['a fix waits', { fixStatus: 'queued' }, 'fix_in_preparation'],
    ['a fix is built', { fixStatus: 'building' }, 'fix_in_preparation'],
    ['a fix waits for a review', { fixStatus: 'needs_review' }, 'fix_in_preparation'],
    ['the fix failed', { fixStatus: 'failed' }, 'generate_fix'],
    ['the fix succeeded but closed nothing that is open', { fixStatus: 'succeeded' }, 'generate_fix'],
    ['it is unfixable', { fixStatus: 'unfixable' }, 'unfixable'],
    [
      'it was unfixable and there is a patch now',
      { fixStatus: 'unfixable', patch: { identifiers: ['ghsa-AAAA'] } },
      'generate_fix',
    ],
    [
      'it is unfixable and the patch is for something else',
      { fixStatus: 'unfixable', patch: { identifiers: ['CVE-1999-1'] } },
      'unfixable',
    ],
    ['a seal is published', { seals: [closesA] }, 'seal_available'],
    ['a seal is published and a further fix is built', { seals: [closesA], fixStatus: 'building' }, 'seal_available'],
    ['a published seal closes nothing known', { seals: [seal(1, ['CVE-1999-1'])] }, 'generate_fix'],
    ['a rule leads to the seal', { seals: [closesA], resolution: leadsTo(closesA) }, 'pending_deploy'],
    ['a rule keeps the origin', { seals: [closesA], resolution: { outcome: 'origin' } }, 'seal_available'],
    [
      'a rule leads to what is not published',
      { seals: [closesA], resolution: { outcome: 'unresolved' } },
      'seal_available',
    ],
    [
      'the seal that the rule leads to is installed and closes a part',
      { seals: [closesA], resolution: leadsTo(closesA), seenIterations: [1] },
      'generate_fix',
    ],
    [
      'the same, and the rest is being fixed',
      { seals: [closesA], resolution: leadsTo(closesA), seenIterations: [1], fixStatus: 'queued' },
      'fix_in_preparation',
    ],
    [
      'a newer seal than the installed one is out',
      { seals: [closesA, closesBoth], seenIterations: [1] },
      'seal_available',
    ],
    [
      'a rule pins the installed seal though a newer is out',
      { seals: [closesA, closesBoth], resolution: leadsTo(closesA), seenIterations: [1] },
      'seal_available',
    ],
    [
      'a rule leads to the newer seal',
      { seals: [closesA, closesBoth], resolution: leadsTo(closesBoth), seenIterations: [1] },
      'pending_deploy',
    ],
    ['everything is closed', { seals: [closesA, closesBoth], seenIterations: [2] }, 'sealed'],
    [
      'everything is closed against the rule',
      { seals: [closesBoth], seenIterations: [2], resolution: { outcome: 'origin' } },
      'sealed',
    ],
    [
      'one copy of two is still the origin',
      { seals: [closesBoth], seenIterations: [2, 0], resolution: leadsTo(closesBoth) },
      'pending_deploy',
    ],
    ['the installed iteration is not one of ours', { seenIterations: [7] }, 'generate_fix'],
  ];
  test.each(table)('when %s', (_when, facts, expected) => {
    expect(stateOf(facts)?.fixAvailability).toBe(expected);
  });
});

test('a package without known vulnerabilities has no state', () => {
  expect(stateOf({ vulnerabilities: [], seals: [closesBoth] })).toBeNull();
});

test('each vulnerability says whether what was seen still has it and the first seal that closes it', () => {
  const state = stateOf({ seals: [closesBoth, closesA], seenIterations: [1] });

  expect(state?.sealedVersion).toBe('1.0.0-sp2');
  expect(state?.vulnerabilities).toEqual([
    {
      identifier: 'CVE-2026-1',
      aliases: ['GHSA-aaaa'],
      severity: 'high',
      cvss_score: 7.5,
      state: 'sealed',
      sealed_by: '1.0.0-sp1',
    },
    { identifier: 'CVE-2026-2', aliases: [], severity: 'low', cvss_score: null, state: 'open', sealed_by: '1.0.0-sp2' },
  ]);
});

test('iterations are ordered as numbers, whatever order they come in', () => {
  const seals = [seal(10, ['CVE-2026-1']), seal(9, ['CVE-2026-1']), seal(11, [])];
  const state = stateOf({ seals });

  expect(state?.sealedVersion).toBe('1.0.0-sp11');
  expect(state?.vulnerabilities[0]?.sealed_by).toBe('1.0.0-sp9');
});

test('a seal closes a vulnerability under any of its aliases, however they are capitalised', () => {
  expect(stateOf({ seals: [seal(1, ['ghsa-AAAA', 'cve-2026-2'])], seenIterations: [1] })?.fixAvailability).toBe(
    'sealed',
  );
});

describe('for any facts', () => {
  const identifiers = fc.subarray(['CVE-2026-1', 'CVE-2026-2', 'CVE-1999-1']);
  const seals = fc
    .uniqueArray(fc.record({ iteration: fc.integer({ min: 1, max: 12 }), closedIdentifiers: identifiers }), {
      selector: ({ iteration }) => iteration,
      maxLength: 4,
    })
    .map((list) => list.map(({ iteration, closedIdentifiers }) => seal(iteration, closedIdentifiers)));
  const facts = fc.record({
    seenIterations: fc.tuple(fc.integer({ min: 0, max: 12 }), fc.integer({ min: 0, max: 12 })),
    vulnerabilities: fc.subarray(known, { minLength: 1 }),
    seals,
    resolution: fc.oneof(
      fc.constantFrom({ outcome: 'origin' }, { outcome: 'no_rule' }, { outcome: 'unresolved' }),
      identifiers.map((closedIdentifiers) => ({ outcome: 'sealed', sealed: { closedIdentifiers } })),
    ) as fc.Arbitrary<PackageFacts['resolution']>,
    fixStatus: fc.constantFrom(null, 'queued', 'building', 'needs_review', 'succeeded', 'unfixable', 'failed'),
    patch: fc.oneof(
      fc.constant(null),
      identifiers.map((list) => ({ identifiers: list })),
    ),
  }) as fc.Arbitrary<PackageFacts>;

  test('it is sealed exactly when nothing is open', () => {
    fc.assert(
      fc.property(facts, (given) => {
        const state = packageStateOf(given);
        const isAllSealed = state?.vulnerabilities.every((vulnerability) => vulnerability.state === 'sealed');
        expect(state?.fixAvailability === 'sealed').toBe(isAllSealed);
      }),
    );
  });

  test('while a copy is the origin, everything is open', () => {
    fc.assert(
      fc.property(facts, (given) => {
        const state = packageStateOf({ ...given, seenIterations: [0, ...given.seenIterations] });
        expect(state?.vulnerabilities.map((vulnerability) => vulnerability.state)).not.toContain('sealed');
      }),
    );
  });

  test('a rule that keeps the origin is never pending', () => {
    fc.assert(
      fc.property(facts, (given) => {
        const state = packageStateOf({ ...given, resolution: { outcome: 'origin' } });
        expect(state?.fixAvailability).not.toBe('pending_deploy');
      }),
    );
  });

  test('one more seal that closes everything is never passed over', () => {
    fc.assert(
      fc.property(facts, (given) => {
        const state = packageStateOf({
          ...given,
          seals: [
            ...given.seals,
            seal(
              13,
              known.map(({ identifier }) => identifier),
            ),
          ],
        });
        expect(['seal_available', 'pending_deploy', 'sealed']).toContain(state?.fixAvailability);
      }),
    );
  });

  test('the order of copies, seals and vulnerabilities decides nothing', () => {
    fc.assert(
      fc.property(facts, (given) => {
        const [first, ...rest] = given.seenIterations.toReversed();
        const turned = packageStateOf({
          ...given,
          seenIterations: [first ?? 0, ...rest],
          seals: given.seals.toReversed(),
          vulnerabilities: given.vulnerabilities.toReversed(),
        });
        const state = packageStateOf(given);
        expect({ ...turned, vulnerabilities: turned?.vulnerabilities.toReversed() }).toEqual(state);
      }),
    );
  });
});
