import { anySentinel, type SealingRule } from '@sealsmith/contract';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { describeOnEveryDatabase } from '../../../../tests/support/databases.ts';
import { createTenant } from '../access/tenant-store.ts';
import type { Database } from '../database/database.ts';
import { inTransaction } from '../database/transaction.ts';
import { systemClock } from '../platform/clock.ts';
import type { TenantScope } from '../platform/tenancy.ts';
import { presentRule, type Rule, type StoredRule } from './rule.ts';
import { parseRuleFilter } from './rule-filter.ts';
import { deleteRule, findCandidateRules, insertRule, listRules, replaceRule } from './rule-store.ts';

let tenants = 0;

const newTenant = (database: Database) =>
  inTransaction(database, (transaction) => createTenant(transaction, database, systemClock, `t${++tenants}`));

const add = (database: Database, scope: TenantScope, rule: Rule, clock = systemClock) =>
  inTransaction(database, (transaction) =>
    insertRule(transaction, scope, { clock, capabilities: database.capabilities }, rule),
  );

async function addAll(database: Database, scope: TenantScope, rules: readonly Rule[]): Promise<StoredRule[]> {
  return inTransaction(database, async (transaction) => {
    const stored: StoredRule[] = [];
    for (const rule of rules) {
      const added = await insertRule(
        transaction,
        scope,
        { clock: systemClock, capabilities: database.capabilities },
        rule,
      );
      if (added) stored.push(added);
    }
    return stored;
  });
}

interface Filters {
  project?: string | undefined;
  package?: string | undefined;
}

/** Every rule that the filters leave, page by page; `betweenPages` runs after each page but the last. */
async function readAll(
  database: Database,
  scope: TenantScope,
  filters: Filters & { limits: readonly number[]; betweenPages?: () => Promise<unknown> },
): Promise<SealingRule[]> {
  const items: SealingRule[] = [];
  let from: number | null = null;
  for (let pages = 0; pages < 1_000; pages++) {
    const limit = filters.limits[pages % filters.limits.length] ?? 1;
    const query = {
      project: parseRuleFilter(filters.project),
      package: parseRuleFilter(filters.package),
      from,
      limit,
    };
    const page = await listRules(database, scope, query);
    const found: SealingRule[] = JSON.parse(page.items);
    expect(found.length).toBeLessThanOrEqual(limit);
    items.push(...found);
    if (page.next === null) return items;
    expect(found).toHaveLength(limit);
    from = page.next;
    await filters.betweenPages?.();
  }
  throw new Error('the list does not end');
}

const ofProject = (projectName: string): Rule => ({
  scope: { kind: 'project', projectName },
  subject: { kind: 'every-package' },
  outcome: { kind: 'safest' },
});

const ofPackage = (packageName: string, packageVersion = '1.0.0'): Rule => ({
  scope: { kind: 'tenant' },
  subject: { kind: 'package-version', packageName, packageVersion, sealedName: packageName },
  outcome: { kind: 'safest' },
});

/** The contract's sentence on the filters, on an array in the order of creation. */
function reference(rules: readonly StoredRule[], { project, package: name }: Filters): SealingRule[] {
  const isLeft = (value: string, filter: string | undefined) =>
    filter === undefined ||
    (filter === anySentinel ? value === anySentinel : value !== anySentinel && folded(value).includes(folded(filter)));
  return rules
    .map(presentRule)
    .filter((rule) => isLeft(rule.project_name, project) && isLeft(rule.vulnerable_package_name, name));
}

/** Each character by itself; a sigma is a sigma wherever it stands. */
function folded(value: string): string {
  return [...value].map((character) => (character === 'ς' ? 'σ' : character.toLowerCase())).join('');
}

/** Few pieces, so that filters often hit: what SQL and Unicode make special, in long and short texts. */
const piece = fc.constantFrom(
  ...[
    'a',
    'B',
    'ab',
    '%',
    '_',
    "'",
    '"',
    '""',
    '\\',
    '*',
    '-',
    ':',
    '(',
    ' or ',
    'İ',
    'i',
    'ı',
    'ß',
    'SS',
    'Σ',
    'ς',
    'σ',
  ],
  ...['é', 'e\u0301', '🦭', '\u{1F1E9}', '漢字', 'storefront', 'AND', 'NEAR', '^'],
);
const text = fc.array(piece, { minLength: 1, maxLength: 8 }).map((pieces) => pieces.join(''));
const longText = fc.array(piece, { minLength: 60, maxLength: 80 }).map((pieces) => pieces.join(''));
const anyText = fc.oneof({ weight: 9, arbitrary: text }, { weight: 1, arbitrary: longText });

const rule: fc.Arbitrary<Rule> = fc.record({
  scope: fc.oneof(
    fc.constant({ kind: 'tenant' } as const),
    fc.record({ kind: fc.constant('project' as const), projectName: anyText }),
  ),
  subject: fc.oneof(
    fc.constant({ kind: 'every-package' } as const),
    fc.record({
      kind: fc.constant('package-version' as const),
      packageName: anyText,
      packageVersion: fc.constantFrom('1.0.0', '2.0.0'),
      sealedName: text,
    }),
  ),
  outcome: fc.constant({ kind: 'safest' } as const),
});

const filter = fc.option(
  fc.oneof(
    { weight: 6, arbitrary: fc.array(piece, { minLength: 1, maxLength: 3 }).map((pieces) => pieces.join('')) },
    { weight: 2, arbitrary: fc.constantFrom(anySentinel, '', '<any>', '<AN', 'NY>') },
    { weight: 1, arbitrary: longText },
  ),
  { nil: undefined },
);

/** Rules, and a part of one of their names: a filter that must find it. */
const rulesWithExcerpt = fc.array(rule, { minLength: 1, maxLength: 10 }).chain((rules) => {
  const names = rules.flatMap(({ subject }) => (subject.kind === 'package-version' ? [subject.packageName] : []));
  return fc.record({
    rules: fc.constant(rules),
    name: fc.constantFrom('', ...names),
    start: fc.nat(80),
    length: fc.nat(80),
  });
});

describeOnEveryDatabase('listing rules', (open) => {
  test('pages by any limits hold what filtering an array in the order of creation leaves', async () => {
    await using database = await open();
    const lookAlike = await newTenant(database);
    await addAll(
      database,
      lookAlike,
      ['a', 'storefront', 'İ%_'].flatMap((name) => [ofProject(name), ofPackage(name)]),
    );
    const samples = fc.record({
      rules: fc.array(rule, { maxLength: 25 }),
      queries: fc.array(
        fc.record({
          project: filter,
          package: filter,
          limits: fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 3 }),
        }),
        { minLength: 6, maxLength: 6 },
      ),
    });
    const property = fc.asyncProperty(samples, async ({ rules, queries }) => {
      const scope = await newTenant(database);
      const stored = await addAll(database, scope, rules);
      for (const query of queries) {
        expect(await readAll(database, scope, query)).toEqual(reference(stored, query));
      }
    });
    await fc.assert(property, { numRuns: 60 });
  });

  test('every part of a name finds it, in its own and in small letters', async () => {
    await using database = await open();
    const property = fc.asyncProperty(rulesWithExcerpt, async ({ rules, name, start, length }) => {
      const scope = await newTenant(database);
      const stored = await addAll(database, scope, rules);
      const characters = [...name];
      const from = start % (characters.length + 1);
      const excerpt = characters.slice(from, from + length).join('');
      for (const filterText of [excerpt, excerpt.toLowerCase()]) {
        const found = await readAll(database, scope, { package: filterText, limits: [5] });
        expect(found).toEqual(reference(stored, { package: filterText }));
        if (name !== '') expect(found.map((item) => item.vulnerable_package_name)).toContain(name);
      }
    });
    await fc.assert(property, { numRuns: 60 });
  });

  test('rules that come and go while a client pages: what stays is seen once, what comes is seen last', async () => {
    await using database = await open();
    const property = fc.asyncProperty(
      fc.integer({ min: 1, max: 4 }),
      fc.array(fc.boolean(), { minLength: 1, maxLength: 6 }),
      async (limit, steps) => {
        const scope = await newTenant(database);
        const initial = await addAll(
          database,
          scope,
          Array.from({ length: 8 }, (_, index) => ofProject(`p${index}`)),
        );
        const added: StoredRule[] = [];
        const pending = [...steps];
        const betweenPages = async () => {
          const isAdding = pending.shift();
          if (isAdding === undefined) return;
          if (isAdding) added.push(...(await addAll(database, scope, [ofProject(`p-new-${added.length}`)])));
          else
            await inTransaction(database, (transaction) =>
              deleteRule(transaction, scope, database.capabilities, ofProject('p0')),
            );
        };
        const seen = await readAll(database, scope, { project: 'P', limits: [limit], betweenPages });
        expect(seen).toEqual([...initial, ...added].map(presentRule));
      },
    );
    await fc.assert(property, { numRuns: 25 });
  });

  test('a tenant without rules, and one beside it, have an empty page', async () => {
    await using database = await open();
    const [acme, lookAlike] = [await newTenant(database), await newTenant(database)];
    await addAll(database, acme, [ofProject('storefront'), ofPackage('ejs')]);
    for (const filters of [{}, { project: 'storefront' }, { package: 'ejs' }, { project: anySentinel }]) {
      expect(await readAll(database, lookAlike, { ...filters, limits: [200] })).toEqual([]);
    }
  });
});

describeOnEveryDatabase('a filter that no name can contain', (open) => {
  test.each(['\0', 'ejs\0'])('%j leaves an empty page', async (text) => {
    await using database = await open();
    const scope = await newTenant(database);
    await addAll(database, scope, [ofProject('storefront'), ofPackage('ejs')]);
    for (const filters of [{ project: text }, { package: text }]) {
      expect(await readAll(database, scope, { ...filters, limits: [200] })).toEqual([]);
    }
  });
});

describeOnEveryDatabase('writing rules', (open) => {
  test('the same key is stored once, whatever the outcome; of many at the same time one is', async () => {
    await using database = await open();
    const scope = await newTenant(database);
    const outcomes: Rule['outcome'][] = [
      { kind: 'safest' },
      { kind: 'origin' },
      { kind: 'pinned', sealedVersion: '1.0.0-sp1' },
    ];
    const results = await Promise.all(
      outcomes.map((outcome) => add(database, scope, { ...ofPackage('ejs'), outcome })),
    );
    expect(results.filter((stored) => stored !== null)).toHaveLength(1);
    expect(await readAll(database, scope, { limits: [10] })).toHaveLength(1);
  });

  test('a name in other capitals or another version is another key', async () => {
    await using database = await open();
    const scope = await newTenant(database);
    const rules = [ofPackage('ejs'), ofPackage('EJS'), ofPackage('ejs', '1.0.1'), ofProject('ejs'), ofProject('EJS')];
    expect(await addAll(database, scope, rules)).toHaveLength(5);
  });

  test('a replaced rule keeps its place, its time and its key', async () => {
    await using database = await open();
    const scope = await newTenant(database);
    const [first, second] = await addAll(database, scope, [ofPackage('ejs'), ofPackage('qs')]);
    const pinned = { ...ofPackage('ejs'), outcome: { kind: 'pinned', sealedVersion: '1.0.0-sp1' } } as const;

    expect(await replaceRule(database.db, scope, pinned)).toEqual({ ...pinned, createdOn: first?.createdOn });
    expect(await replaceRule(database.db, scope, ofPackage('absent'))).toBeNull();

    const items = await readAll(database, scope, { limits: [1] });
    expect(items.map((item) => item.sealed_package_version)).toEqual(['1.0.0-sp1', '<SAFEST>']);
    expect(items[1]?.created_on).toBe(second?.createdOn);
  });

  test('a rule is deleted by its whole key, and only in its tenant', async () => {
    await using database = await open();
    const [acme, lookAlike] = [await newTenant(database), await newTenant(database)];
    for (const scope of [acme, lookAlike]) await addAll(database, scope, [ofPackage('ejs'), ofProject('ejs')]);

    expect(await deleteRule(database.db, acme, database.capabilities, ofPackage('ejs'))).toBe(true);
    expect(await deleteRule(database.db, acme, database.capabilities, ofPackage('ejs'))).toBe(false);

    expect(await readAll(database, acme, { limits: [10] })).toMatchObject([{ project_name: 'ejs' }]);
    expect(await readAll(database, acme, { package: 'ejs', limits: [10] })).toEqual([]);
    expect(await readAll(database, lookAlike, { limits: [10] })).toHaveLength(2);
  });

  test('a rule never looks older than the one before it, even when the clock goes back', async () => {
    await using database = await open();
    const scope = await newTenant(database);
    const clockAt = (time: string) => ({ now: () => new Date(time) });
    const first = await add(database, scope, ofProject('a'), clockAt('2026-11-21T10:00:00.000Z'));
    const second = await add(database, scope, ofProject('b'), clockAt('2026-11-21T09:00:00.000Z'));
    expect([first?.createdOn, second?.createdOn]).toEqual(Array(2).fill('2026-11-21T10:00:00.000Z'));
  });
});

describeOnEveryDatabase('finding the rules that may concern packages', (open) => {
  test('all rules of the tenant or the project for every package, and those whose name any ecosystem may hold for the same', async () => {
    await using database = await open();
    const [acme, lookAlike] = [await newTenant(database), await newTenant(database)];
    const rules = [ofProject('storefront'), ofPackage('Flask_Login'), ofPackage('flask-login'), ofPackage('flask')];
    for (const scope of [acme, lookAlike]) await addAll(database, scope, [...rules, ofProject('another')]);

    const found = await findCandidateRules(database.db, acme, {
      projectNames: ['storefront'],
      packageNames: ['flask.login', 'absent'],
    });

    expect(found).toMatchObject(rules.slice(0, 3));
  });

  test('thousands of names are asked for in bounded statements', async () => {
    await using database = await open();
    const scope = await newTenant(database);
    await addAll(database, scope, [ofPackage('p1'), ofPackage('p4999')]);
    const names = Array.from({ length: 5_000 }, (_, index) => `p${index}`);
    expect(await findCandidateRules(database.db, scope, { projectNames: ['shop'], packageNames: names })).toHaveLength(
      2,
    );
  });
});
