import { createHash } from 'node:crypto';
import { resolveResponseSchema, type SealingRuleInput } from '@sealsmith/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ApiAnswer, send } from '../support/api-client.ts';
import { covers } from '../support/covers.ts';
import {
  importPlainTemplate,
  plainTemplate,
  publishPlainTemplate,
  sealPlainTemplate,
} from '../support/plain-template.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
  await publishPlainTemplate(service.upstream);
  await importPlainTemplate(service.api);
  await sealPlainTemplate(service.api);
  for (const body of [tenantWideException, projectEverything]) {
    expect((await service.api('POST', '/sealing-rules', { body })).status).toBe(201);
  }
});
afterAll(() => service[Symbol.asyncDispose]());

const { name, vulnerable, sealed } = plainTemplate;
const tenantWideException: SealingRuleInput = {
  project_name: '<ANY>',
  vulnerable_package_name: name,
  vulnerable_package_version: vulnerable,
  sealed_package_name: name,
  sealed_package_version: '<ORIGIN>',
};
const projectEverything: SealingRuleInput = {
  project_name: 'storefront',
  vulnerable_package_name: '<ANY>',
  vulnerable_package_version: '<ANY>',
  sealed_package_name: '<ANY>',
  sealed_package_version: '<SAFEST>',
};
const projectPinned: SealingRuleInput = {
  ...tenantWideException,
  project_name: 'storefront',
  sealed_package_version: sealed,
};
const template = { ecosystem: 'npm', package_name: name, package_version: vulnerable };

function resolve(body: object, project_name = 'storefront'): Promise<ApiAnswer> {
  return service.api('POST', '/sealing-rules/resolve', { body: { project_name, ...body } });
}

async function itemsOf(answer: Promise<ApiAnswer>) {
  return resolveResponseSchema.parse((await answer).json).items;
}

covers(
  'resolveSealingRules',
  200,
  'each item is answered in order, with the deciding rule and those that lost',
  async () => {
    const other = { ...template, package_version: '1.0.0' };
    const items = await itemsOf(resolve({ packages: [template, other] }));

    expect(items).toMatchObject([
      {
        ecosystem: 'NPM',
        package_name: name,
        package_version: vulnerable,
        outcome: 'origin',
        sealed_package_version: null,
        rule: tenantWideException,
        rule_is_draft: false,
        losing_rules: [{ rule: projectEverything, reason: expect.stringContaining('more targeted') }],
        artifact: null,
      },
      { outcome: 'unresolved', rule: projectEverything, sealed_package_version: null, losing_rules: [] },
    ]);
    expect(items.map((item) => 'reason' in item && item.reason)).toEqual([
      expect.stringContaining('<ORIGIN>'),
      expect.stringContaining('not published'),
    ]);
  },
);

test('a draft is treated as if it were stored, and is not', async () => {
  const [draft] = await itemsOf(resolve({ packages: [template], draft_rules: [projectPinned] }));
  const [stored] = await itemsOf(resolve({ packages: [template] }));

  expect(draft).toMatchObject({
    outcome: 'sealed',
    sealed_package_name: name,
    sealed_package_version: sealed,
    rule: projectPinned,
    rule_is_draft: true,
    losing_rules: [{ rule: tenantWideException }, { rule: projectEverything }],
  });
  expect(stored).toMatchObject({ outcome: 'origin' });
});

test('a draft stands in for the stored rule of its key', async () => {
  const safest = { ...tenantWideException, sealed_package_version: '<SAFEST>' };
  const [item] = await itemsOf(resolve({ packages: [template], draft_rules: [safest] }));
  expect(item).toMatchObject({
    outcome: 'sealed',
    rule: safest,
    rule_is_draft: true,
    losing_rules: [{ rule: projectEverything }],
  });
});

test('the artifact of a sealed item can be fetched under its address and has its digest', async () => {
  const [item] = await itemsOf(resolve({ packages: [template], draft_rules: [projectPinned] }));
  const artifact = item && 'artifact' in item ? item.artifact : null;
  expect(artifact?.url.startsWith(`${service.url}/artifacts/npm/`)).toBe(true);

  const response = await fetch(artifact?.url ?? '', { headers: { authorization: `Bearer ${service.tenant.token}` } });
  const bytes = Buffer.from(await response.arrayBuffer());

  expect(response.status).toBe(200);
  expect(bytes.length).toBe(artifact?.size_bytes);
  expect(`sha512-${createHash('sha512').update(bytes).digest('base64')}`).toBe(artifact?.integrity);
});

test('a package at a sealed version is resolved by its origin; another project has no rule', async () => {
  const packages = [
    { ...template, package_version: sealed },
    { ...template, package_version: '1.0.0' },
  ];
  const items = await itemsOf(resolve({ packages }, 'warehouse'));
  expect(items).toMatchObject([
    { outcome: 'origin', rule: tenantWideException },
    { outcome: 'no_rule', rule: null, losing_rules: [], reason: 'No rule matches, so the package stays as it is.' },
  ]);
});

test('one bad item is an error on that item alone', async () => {
  const bad = [
    null,
    { ...template, ecosystem: 'cargo' },
    { ...template, package_name: '../x' },
    { ...template, package_version: '' },
    { ecosystem: 'npm', package_name: name },
  ];
  const items = await itemsOf(resolve({ packages: [...bad, template] }));
  expect(items.map(({ outcome }) => outcome)).toEqual([...bad.map(() => 'error'), 'origin']);
  for (const [index, item] of items.slice(0, -1).entries()) {
    expect(item).toMatchObject({
      error: { code: 'invalid_parameter', detail: expect.stringContaining(`packages[${index}]`) },
    });
  }
});

covers(
  'resolveSealingRules',
  'inconsistent_rule',
  'a draft that contradicts itself is named by its place',
  async () => {
    const draft = { ...projectEverything, sealed_package_version: '<ORIGIN>' };
    const answer = await resolve({ packages: [], draft_rules: [projectPinned, draft] });
    expect(answer.json).toMatchObject({ status: 422, code: 'inconsistent_rule' });
    expect(answer.json.detail).toMatch(/^draft_rules\[1\]: Consistency rule 2/);
  },
);

covers('resolveSealingRules', 'invalid_parameter', 'the project, the items and their number are checked', async () => {
  const wrong: [string, object][] = [
    ['project_name', { project_name: '<ANY>', packages: [] }],
    ['packages', {}],
    ['packages', { packages: template }],
    ['packages', { packages: Array(5_001).fill(template) }],
    ['draft_rules.0.project_name', { packages: [], draft_rules: [{ ...projectPinned, project_name: '' }] }],
    ['', { packages: [], drafts: [] }],
  ];
  for (const [field, body] of wrong) {
    const answer = await resolve(body);
    expect(answer.json, field).toMatchObject({ status: 422, errors: [{ location: 'body', name: field }] });
  }
});

test('5,000 items are answered at once', async () => {
  const packages = Array.from({ length: 5_000 }, (_, index) => ({ ...template, package_version: `1.0.${index}` }));
  const items = await itemsOf(resolve({ packages }));
  expect(items).toHaveLength(5_000);
  expect(new Set(items.map(({ outcome }) => outcome))).toEqual(new Set(['unresolved']));
});

test('a Host that cannot be one never gets into an address', async () => {
  const body = JSON.stringify({ project_name: 'storefront', packages: [template], draft_rules: [projectPinned] });
  const headers = {
    host: 'evil.example/"><script>',
    authorization: `Bearer ${service.tenant.token}`,
    'content-type': 'application/json',
  };
  const answer = await send(`${service.url}/authenticated/api/v1/sealing-rules/resolve`, {
    method: 'POST',
    headers,
    body,
  });
  expect(answer.text).not.toContain('evil');
});
