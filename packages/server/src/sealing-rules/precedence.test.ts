import fc from 'fast-check';
import { expect, test } from 'vitest';
import { matches, precedenceOf, precedences, rank } from './precedence.ts';
import { ruleOf, targetOf } from './testing/rules.ts';

const projectPackage = ruleOf('storefront ejs@2.7.4 → <SAFEST>');
const tenantPackage = ruleOf('<ANY> ejs@2.7.4 → <ORIGIN>');
const projectEverything = ruleOf('storefront <ANY> → <SAFEST>');
const tenantEverything = ruleOf('<ANY> <ANY> → <SAFEST>');
const byTarget = [projectPackage, tenantPackage, projectEverything, tenantEverything];

const ejs = targetOf('storefront npm ejs@2.7.4');

test('four kinds of rules, the most targeted first', () => {
  expect(byTarget.map(precedenceOf)).toEqual(precedences);
  expect(rank([...byTarget].reverse(), ejs)).toEqual(byTarget);
});

test.each([
  ['storefront npm ejs@2.7.4', ['project-package', 'tenant-package', 'project-everything', 'tenant-everything']],
  ['warehouse npm ejs@2.7.4', ['tenant-package', 'tenant-everything']],
  ['storefront npm ejs@2.7.5', ['project-everything', 'tenant-everything']],
  ['storefront npm qs@2.7.4', ['project-everything', 'tenant-everything']],
  ['warehouse npm qs@6.5.2', ['tenant-everything']],
  ['Storefront npm ejs@2.7.4', ['tenant-package', 'tenant-everything']],
])('%s is matched by %j', (target, expected) => {
  expect(rank(byTarget, targetOf(target)).map(precedenceOf)).toEqual(expected);
});

test('a sealed version is matched by its origin', () => {
  expect(matches(tenantPackage, targetOf('warehouse npm ejs@2.7.4-sp3'))).toBe(true);
  expect(matches(ruleOf('<ANY> ejs@2.7.4-sp3 → <SAFEST>'), targetOf('warehouse npm ejs@2.7.4-sp3'))).toBe(false);
});

test('names are compared as their ecosystem normalises them', () => {
  const flask = ruleOf('<ANY> Flask_Login@0.6.0 → <SAFEST>');
  expect(matches(flask, targetOf('storefront pypi flask-login@0.6.0'))).toBe(true);
  expect(matches(flask, targetOf('storefront npm flask-login@0.6.0'))).toBe(false);
});

test('a rule whose name an ecosystem does not allow matches nothing there', () => {
  const maven = ruleOf('<ANY> org.acme:lib@1.0 → <SAFEST>');
  expect(matches(maven, targetOf('storefront maven org.acme:lib@1.0'))).toBe(true);
  expect(matches(maven, targetOf('storefront npm lib@1.0.0'))).toBe(false);
});

const anyRule = fc
  .record({
    project: fc.constantFrom('<ANY>', 'storefront', 'warehouse'),
    subject: fc.constantFrom('<ANY>', 'ejs@2.7.4', 'ejs@2.7.5', 'qs@6.5.2'),
    outcome: fc.constantFrom('<SAFEST>', '<ORIGIN>'),
  })
  .map(({ project, subject, outcome }) =>
    ruleOf(`${project} ${subject} → ${subject === '<ANY>' ? '<SAFEST>' : outcome}`),
  );

test('a tenant-wide rule never beats one of the project that is as targeted; <ANY> never one that names the package', () => {
  const property = fc.property(fc.array(anyRule), (rules) => {
    const [winner, ...losers] = rank(rules, ejs);
    for (const loser of losers) {
      if (loser.subject.kind === 'package-version') expect(winner?.subject.kind).toBe('package-version');
      if (loser.subject.kind === winner?.subject.kind && loser.scope.kind === 'project') {
        expect(winner.scope.kind).toBe('project');
      }
    }
  });
  fc.assert(property);
});

test('which rule wins does not depend on the order in which they are given', () => {
  const distinct = fc.uniqueArray(anyRule, { selector: (rule) => JSON.stringify([rule.scope, rule.subject]) });
  const property = fc.property(distinct, (rules) => {
    expect(rank([...rules].reverse(), ejs)).toEqual(rank(rules, ejs));
  });
  fc.assert(property);
});

test('what does not match is not ranked, and nothing that matches is lost', () => {
  const property = fc.property(fc.array(anyRule), (rules) => {
    expect(new Set(rank(rules, ejs))).toEqual(new Set(rules.filter((rule) => matches(rule, ejs))));
  });
  fc.assert(property);
});
