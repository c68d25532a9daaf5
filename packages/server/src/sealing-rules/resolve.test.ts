import { describe, expect, test } from 'vitest';
import { indexSeals, resolvePackage } from './resolve.ts';
import { ruleOf, sealOf, targetOf } from './testing/rules.ts';

const seals = indexSeals([
  sealOf('ejs@2.7.4', 9),
  sealOf('ejs@2.7.4', 10),
  sealOf('ejs@2.7.4', 1),
  sealOf('ejs@3.1.6', 1),
  sealOf('ejs-sealed@2.7.4', 1),
]);

const resolve = (target: string, ...rules: string[]) =>
  resolvePackage(
    rules.map((line) => ruleOf(line)),
    targetOf(target),
    seals,
  );

describe('<SAFEST>', () => {
  test('is the highest iteration as a number: sp.10 before sp9', () => {
    const resolution = resolve('storefront npm ejs@2.7.4', '<ANY> <ANY> → <SAFEST>');
    expect(resolution).toMatchObject({ outcome: 'sealed', sealed: { iteration: 10, sealedVersion: '2.7.4-sp.10' } });
  });

  test('never leads to the seal of another origin version', () => {
    const resolution = resolve('storefront npm ejs@2.7.5', '<ANY> <ANY> → <SAFEST>');
    expect(resolution).toMatchObject({ outcome: 'unresolved', missing: 'any sealed version of ejs 2.7.5' });
  });

  test('leads on from an older sealed version to the newest', () => {
    const resolution = resolve('storefront npm ejs@2.7.4-sp1', '<ANY> <ANY> → <SAFEST>');
    expect(resolution).toMatchObject({ outcome: 'sealed', sealed: { iteration: 10 } });
  });

  test('never leads to another ecosystem', () => {
    expect(resolve('storefront pypi ejs@2.7.4', '<ANY> <ANY> → <SAFEST>').outcome).toBe('unresolved');
  });
});

describe('a pinned version', () => {
  test('is taken though there is a newer one', () => {
    const resolution = resolve('storefront npm ejs@2.7.4', '<ANY> ejs@2.7.4 → ejs@2.7.4-sp1');
    expect(resolution).toMatchObject({ outcome: 'sealed', sealed: { sealedVersion: '2.7.4-sp1' } });
  });

  test('that is not published is unresolved, and no broader rule steps in', () => {
    const resolution = resolve('storefront npm ejs@2.7.4', '<ANY> ejs@2.7.4 → ejs@2.7.4-sp2', '<ANY> <ANY> → <SAFEST>');
    expect(resolution).toMatchObject({ outcome: 'unresolved', missing: 'ejs 2.7.4-sp2' });
    expect(resolution.losers).toHaveLength(1);
  });

  test('under another name is that of this name', () => {
    const resolution = resolve('storefront npm ejs@2.7.4', '<ANY> ejs@2.7.4 → ejs-sealed@2.7.4-sp1');
    expect(resolution).toMatchObject({ outcome: 'sealed', sealed: { packageName: 'ejs-sealed' } });
  });

  test('under a name that the ecosystem does not allow is unresolved', () => {
    const resolution = resolve('storefront npm ejs@2.7.4', '<ANY> ejs@2.7.4 → ../ejs@2.7.4-sp1');
    expect(resolution.outcome).toBe('unresolved');
  });
});

test("<ORIGIN> keeps the package, against a project's rule for everything", () => {
  const resolution = resolve('storefront npm ejs@2.7.4', 'storefront <ANY> → <SAFEST>', '<ANY> ejs@2.7.4 → <ORIGIN>');
  expect(resolution).toMatchObject({ outcome: 'origin', rule: { scope: { kind: 'tenant' } } });
  expect(resolution.losers).toMatchObject([{ subject: { kind: 'every-package' } }]);
});

test('without a rule that matches there is no outcome but to leave it', () => {
  expect(resolve('storefront npm ejs@2.7.4', 'warehouse <ANY> → <SAFEST>')).toEqual({
    outcome: 'no_rule',
    rule: null,
    losers: [],
  });
});
