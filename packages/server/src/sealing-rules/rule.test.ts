import type { SealingRuleInput } from '@sealsmith/contract';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { AppError } from '../platform/app-error.ts';
import { parseRule, parseRuleKey, presentRule } from './rule.ts';

const named: SealingRuleInput = {
  project_name: 'storefront',
  vulnerable_package_name: 'ejs',
  vulnerable_package_version: '2.7.4',
  sealed_package_name: 'ejs',
  sealed_package_version: '2.7.4-sp1',
};
const everything: SealingRuleInput = {
  project_name: '<ANY>',
  vulnerable_package_name: '<ANY>',
  vulnerable_package_version: '<ANY>',
  sealed_package_name: '<ANY>',
  sealed_package_version: '<SAFEST>',
};

function refusalOf(input: SealingRuleInput): AppError | null {
  try {
    parseRule(input);
    return null;
  } catch (error) {
    return error as AppError;
  }
}

test('sentinels become kinds', () => {
  expect(parseRule(named)).toEqual({
    scope: { kind: 'project', projectName: 'storefront' },
    subject: { kind: 'package-version', packageName: 'ejs', packageVersion: '2.7.4', sealedName: 'ejs' },
    outcome: { kind: 'pinned', sealedVersion: '2.7.4-sp1' },
  });
  expect(parseRule(everything)).toEqual({
    scope: { kind: 'tenant' },
    subject: { kind: 'every-package' },
    outcome: { kind: 'safest' },
  });
  expect(parseRule({ ...named, sealed_package_version: '<ORIGIN>' }).outcome).toEqual({ kind: 'origin' });
});

test('consistency rule 1: the three package fields are <ANY> together, and those that are not are named', () => {
  const fields = ['vulnerable_package_name', 'vulnerable_package_version', 'sealed_package_name'] as const;
  for (const isAny of [0, 1, 2, 3, 4, 5, 6, 7].map((bits) => fields.filter((_, index) => bits & (1 << index)))) {
    const input = { ...named, sealed_package_version: '<SAFEST>' };
    for (const field of isAny) input[field] = '<ANY>';
    const refusal = refusalOf(input);
    if (isAny.length === 0 || isAny.length === 3) expect(refusal).toBeNull();
    else {
      expect(refusal).toMatchObject({
        code: 'inconsistent_rule',
        detail: expect.stringMatching(/^Consistency rule 1:/),
      });
      expect(refusal?.problems.map(({ name }) => name)).toEqual(fields.filter((field) => !isAny.includes(field)));
    }
  }
});

test('consistency rule 2: what targets every version never says <ORIGIN>', () => {
  const refusal = refusalOf({ ...everything, sealed_package_version: '<ORIGIN>' });
  expect(refusal).toMatchObject({ code: 'inconsistent_rule', detail: expect.stringMatching(/^Consistency rule 2:/) });
});

test('consistency rule 3: a tenant-wide rule combines with any package fields', () => {
  for (const input of [named, everything, { ...named, sealed_package_version: '<ORIGIN>' }]) {
    expect(parseRule({ ...input, project_name: '<ANY>' }).scope).toEqual({ kind: 'tenant' });
  }
});

test('one version cannot replace every package, and what stays has one name', () => {
  expect(refusalOf({ ...everything, sealed_package_version: '1.0.0-sp1' })).toMatchObject({
    code: 'inconsistent_rule',
  });
  const renamed = { ...named, sealed_package_name: 'ejs-sealed' };
  expect(refusalOf({ ...renamed, sealed_package_version: '<ORIGIN>' })).toMatchObject({ code: 'inconsistent_rule' });
  expect(refusalOf(renamed)).toBeNull();
});

test('a rule that is accepted is presented as it was written', () => {
  const text = fc.constantFrom('<ANY>', '<SAFEST>', '<ORIGIN>', 'ejs', '2.7.4');
  const property = fc.property(fc.record({ ...mapValues(named, () => text) }), (input) => {
    if (refusalOf(input)) return;
    expect(presentRule({ ...parseRule(input), createdOn: 'now' })).toEqual({ ...input, created_on: 'now' });
  });
  fc.assert(property, { numRuns: 500 });
});

test('a key has the package fields both or neither as <ANY>', () => {
  expect(parseRuleKey(named)).toMatchObject({ subject: { packageName: 'ejs', packageVersion: '2.7.4' } });
  expect(parseRuleKey(everything)).toEqual({ scope: { kind: 'tenant' }, subject: { kind: 'every-package' } });
  for (const field of ['vulnerable_package_name', 'vulnerable_package_version'] as const) {
    expect(() => parseRuleKey({ ...named, [field]: '<ANY>' })).toThrow(/^Consistency rule 1/);
  }
});

function mapValues<Value>(input: SealingRuleInput, value: () => Value): Record<keyof SealingRuleInput, Value> {
  return Object.fromEntries(Object.keys(input).map((key) => [key, value()])) as Record<keyof SealingRuleInput, Value>;
}
