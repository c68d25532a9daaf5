import { expect, test } from 'vitest';
import { explainLoss, explainResolution } from './explain.ts';
import { indexSeals, resolvePackage } from './resolve.ts';
import { ruleOf, sealOf, targetOf } from './testing/rules.ts';

const seals = indexSeals([sealOf('ejs@2.7.4', 1)]);
const explained = (...rules: string[]) =>
  explainResolution(
    resolvePackage(
      rules.map((line) => ruleOf(line)),
      targetOf('storefront npm ejs@2.7.4'),
      seals,
    ),
  );

test.each([
  [[], 'No rule matches, so the package stays as it is.'],
  [
    ['storefront ejs@2.7.4 → <ORIGIN>'],
    'It stays as it is: a rule of the project that names the package version says <ORIGIN>.',
  ],
  [['<ANY> <ANY> → <SAFEST>'], 'It is replaced by 2.7.4-sp1: a tenant-wide rule for every package decides.'],
  [
    ['<ANY> ejs@2.7.4 → ejs@2.7.4-sp2'],
    'A tenant-wide rule that names the package version decides, but ejs 2.7.4-sp2 is not published.',
  ],
])('%j: %s', (rules, sentence) => {
  expect(explained(...rules)).toBe(sentence);
});

test('a rule loses because it is less targeted, or because it came later in another spelling', () => {
  const named = ruleOf('<ANY> ejs@2.7.4 → <ORIGIN>');
  expect(explainLoss(named, ruleOf('storefront <ANY> → <SAFEST>'))).toBe(
    'A tenant-wide rule that names the package version is more targeted than a rule of the project for every package.',
  );
  expect(explainLoss(named, ruleOf('<ANY> EJS@2.7.4 → <ORIGIN>'))).toBe(
    'An older rule names the same package in another spelling.',
  );
});
