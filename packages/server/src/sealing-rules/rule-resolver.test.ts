import { expect, test } from 'vitest';
import { describeOnEveryDatabase } from '../../../../tests/support/databases.ts';
import { createTenant } from '../access/tenant-store.ts';
import type { ListSealedPackages } from '../artifacts/sealed-package.ts';
import type { Database } from '../database/database.ts';
import { inTransaction } from '../database/transaction.ts';
import { systemClock } from '../platform/clock.ts';
import type { StoredRule } from './rule.ts';
import { createRuleResolver } from './rule-resolver.ts';
import { insertRule } from './rule-store.ts';
import { ruleOf, sealOf, targetOf } from './testing/rules.ts';

const published = [sealOf('ejs@2.7.4', 1), sealOf('ejs-sealed@2.7.4', 1), sealOf('qs@6.5.2', 1)];

/** Of the packages that were asked for only, as the store gives them. */
const listSealed: ListSealedPackages = async (_db, _scope, names) =>
  published.filter((seal) =>
    names.some((name) => name.ecosystem === seal.ecosystem && name.packageName === seal.packageName),
  );

const tenantWith = (database: Database, name: string, lines: readonly string[]) =>
  inTransaction(database, async (transaction) => {
    const scope = await createTenant(transaction, database, systemClock, name);
    const deps = { clock: systemClock, capabilities: database.capabilities };
    for (const line of lines) await insertRule(transaction, scope, deps, ruleOf(line));
    return scope;
  });

async function outcomes(
  database: Database,
  lines: readonly string[],
  options: { targets: string[]; drafts?: StoredRule[] },
) {
  const scope = await tenantWith(database, `t${crypto.randomUUID()}`, lines);
  const resolve = createRuleResolver({ listSealed, drafts: options.drafts ?? [] });
  return resolve(database.db, scope, options.targets.map(targetOf));
}

describeOnEveryDatabase('resolving packages by the stored rules', (open) => {
  test('each package gets its own resolution, in order', async () => {
    await using database = await open();
    const targets = [
      'storefront npm qs@6.5.2',
      'storefront npm ejs@2.7.4',
      'warehouse npm ejs@2.7.4',
      'warehouse npm qs@1.0.0',
    ];
    const resolutions = await outcomes(database, ['storefront <ANY> → <SAFEST>', '<ANY> ejs@2.7.4 → <ORIGIN>'], {
      targets,
    });
    expect(resolutions.map(({ outcome }) => outcome)).toEqual(['sealed', 'origin', 'origin', 'no_rule']);
  });

  test('the replacement is found under the name that the rule says', async () => {
    await using database = await open();
    const lines = ['<ANY> ejs@2.7.4 → ejs-sealed@2.7.4-sp1'];
    const [resolution] = await outcomes(database, lines, { targets: ['storefront npm ejs@2.7.4'] });
    expect(resolution).toMatchObject({ outcome: 'sealed', sealed: { packageName: 'ejs-sealed' } });
  });

  test('a draft counts as stored, and stands in for the stored rule of its key', async () => {
    await using database = await open();
    const stored = ['<ANY> ejs@2.7.4 → <ORIGIN>', 'storefront <ANY> → <SAFEST>'];
    const targets = ['storefront npm ejs@2.7.4'];
    const replacing = ruleOf('<ANY> ejs@2.7.4 → <SAFEST>');
    const adding = ruleOf('storefront ejs@2.7.4 → ejs@2.7.4-sp2');

    const [replaced] = await outcomes(database, stored, { targets, drafts: [replacing] });
    const [added] = await outcomes(database, stored, { targets, drafts: [adding] });

    expect(replaced).toMatchObject({ outcome: 'sealed', rule: replacing });
    expect(replaced?.losers).toHaveLength(1);
    expect(added).toMatchObject({ outcome: 'unresolved', rule: adding });
    expect(added?.losers).toHaveLength(2);
  });

  test('of drafts with one key the first counts, and those of other projects and versions are no losers', async () => {
    await using database = await open();
    const drafts = [
      ruleOf('storefront ejs@2.7.4 → <ORIGIN>'),
      ruleOf('storefront ejs@2.7.4 → <SAFEST>'),
      ruleOf('warehouse ejs@2.7.4 → <SAFEST>'),
      ruleOf('storefront ejs@3.0.0 → <SAFEST>'),
      ruleOf('warehouse <ANY> → <SAFEST>'),
    ];
    const [resolution] = await outcomes(database, [], { targets: ['storefront npm ejs@2.7.4'], drafts });
    expect(resolution).toEqual({ outcome: 'origin', rule: drafts[0], losers: [] });
  });

  test('many packages against many drafts take a moment', { timeout: 20_000 }, async () => {
    await using database = await open();
    const drafts = Array.from({ length: 5_000 }, (_, index) => ruleOf(`project${index} <ANY> → <SAFEST>`));
    const targets = Array.from({ length: 5_000 }, () => 'project7 npm ejs@2.7.4');
    const resolutions = await outcomes(database, [], { targets, drafts });
    expect(new Set(resolutions.map(({ outcome }) => outcome))).toEqual(new Set(['sealed']));
  });

  test('of two spellings of one name the older rule decides', async () => {
    await using database = await open();
    const lines = ['<ANY> Flask_Login@0.6.0 → <ORIGIN>', '<ANY> flask-login@0.6.0 → <SAFEST>'];
    const [resolution] = await outcomes(database, lines, { targets: ['storefront pypi flask-login@0.6.0'] });
    expect(resolution).toMatchObject({ outcome: 'origin' });
    expect(resolution?.losers).toHaveLength(1);
  });

  test("another tenant's rules decide nothing", async () => {
    await using database = await open();
    await tenantWith(database, 'look-alike', ['<ANY> <ANY> → <SAFEST>', 'storefront ejs@2.7.4 → <ORIGIN>']);
    const [resolution] = await outcomes(database, [], { targets: ['storefront npm ejs@2.7.4'] });
    expect(resolution).toEqual({ outcome: 'no_rule', rule: null, losers: [] });
  });
});
