import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { listAll } from '../support/api-client.ts';
import { covers } from '../support/covers.ts';
import { startTestService, type TestService, type TestTenant } from '../support/test-service.ts';

let service: TestService;
let tenant: TestTenant;
let tenants = 0;

beforeAll(async () => {
  service = await startTestService();
});
beforeEach(async () => {
  tenant = await service.createTenant(`tenant-${++tenants}`);
});
afterAll(() => service[Symbol.asyncDispose]());

const path = '/sealing-rules';
const rule = {
  project_name: 'storefront',
  vulnerable_package_name: 'ejs',
  vulnerable_package_version: '2.7.4',
  sealed_package_name: 'ejs',
  sealed_package_version: '2.7.4-sp1',
};
const tenantWide = { ...rule, project_name: '<ANY>' };
const everything = {
  ...rule,
  vulnerable_package_name: '<ANY>',
  vulnerable_package_version: '<ANY>',
  sealed_package_name: '<ANY>',
  sealed_package_version: '<SAFEST>',
};
const exception = { ...rule, vulnerable_package_version: '2.7.3', sealed_package_version: '<ORIGIN>' };

function keyOf({ project_name, vulnerable_package_name, vulnerable_package_version }: typeof rule): string {
  return String(new URLSearchParams({ project_name, vulnerable_package_name, vulnerable_package_version }));
}

covers('createSealingRule', 201, 'the rule is answered and listed as it was sent', async () => {
  for (const body of [rule, tenantWide, everything, exception]) {
    const answer = await tenant.api('POST', path, { body });
    expect(answer.status).toBe(201);
    expect(answer.json).toEqual({
      ...body,
      created_on: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
  }
  expect(await listAll(tenant.api, path)).toMatchObject([rule, tenantWide, everything, exception]);
});

covers('createSealingRule', 'rule_exists', 'one key has one rule, whatever its outcome', async () => {
  await tenant.api('POST', path, { body: rule });
  const answer = await tenant.api('POST', path, { body: { ...rule, sealed_package_version: '<SAFEST>' } });
  expect(answer.json).toMatchObject({ status: 409, code: 'rule_exists' });
  expect(await listAll(tenant.api, path)).toMatchObject([rule]);
});

test('of many who create the same rule at the same time, one does', async () => {
  const answers = await Promise.all(Array.from({ length: 8 }, () => tenant.api('POST', path, { body: rule })));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(7).fill(409)]);
});

covers('putSealingRule', 201, 'a new key makes a rule', async () => {
  const answer = await tenant.api('PUT', path, { body: rule });
  expect([answer.status, answer.json]).toMatchObject([201, rule]);
});

covers('putSealingRule', 200, 'the rule of the same key is replaced and keeps its place and time', async () => {
  const created = await tenant.api('PUT', path, { body: rule });
  await tenant.api('PUT', path, { body: tenantWide });
  const changed = { ...rule, sealed_package_version: '<SAFEST>' };

  const answer = await tenant.api('PUT', path, { body: changed });

  expect(answer.status).toBe(200);
  expect(answer.json).toEqual({ ...changed, created_on: created.json.created_on });
  expect(await listAll(tenant.api, path)).toMatchObject([changed, tenantWide]);
});

covers('deleteSealingRule', 204, 'the rule of the key is gone, and no other', async () => {
  for (const body of [rule, tenantWide, everything]) await tenant.api('POST', path, { body });
  expect((await tenant.api('DELETE', `${path}?${keyOf(rule)}`)).status).toBe(204);
  expect((await tenant.api('DELETE', `${path}?${keyOf(everything)}`)).status).toBe(204);
  expect(await listAll(tenant.api, path)).toMatchObject([tenantWide]);
});

covers('deleteSealingRule', 'not_found', 'a key without a rule is 404', async () => {
  await tenant.api('POST', path, { body: tenantWide });
  expect((await tenant.api('DELETE', `${path}?${keyOf(rule)}`)).json).toMatchObject({ status: 404, code: 'not_found' });
});

covers('deleteSealingRule', 'invalid_parameter', 'each part of the key is required', async () => {
  for (const name of ['project_name', 'vulnerable_package_name', 'vulnerable_package_version']) {
    const key = new URLSearchParams(keyOf(rule));
    key.delete(name);
    const answer = await tenant.api('DELETE', `${path}?${key}`);
    expect(answer.json).toMatchObject({
      status: 422,
      detail: `The parameter "${name}" is required.`,
      errors: [{ location: 'query', name, message: 'is required' }],
    });
  }
});

covers('deleteSealingRule', 'inconsistent_rule', 'a key that no rule can have is 422', async () => {
  const answer = await tenant.api('DELETE', `${path}?${keyOf({ ...rule, vulnerable_package_version: '<ANY>' })}`);
  expect(answer.json).toMatchObject({ status: 422, code: 'inconsistent_rule' });
});

const inconsistent: [string, object, RegExp][] = [
  [
    'rule 1: a version for every package',
    { ...everything, vulnerable_package_version: '2.7.4' },
    /^Consistency rule 1/,
  ],
  ['rule 1: a name without a version', { ...rule, vulnerable_package_version: '<ANY>' }, /^Consistency rule 1/],
  ['rule 1: a sealed name for every package', { ...everything, sealed_package_name: 'ejs' }, /^Consistency rule 1/],
  [
    'rule 2: every package stays as it is',
    { ...everything, sealed_package_version: '<ORIGIN>' },
    /^Consistency rule 2/,
  ],
  ['one version for every package', { ...everything, sealed_package_version: '1.0.0-sp1' }, /pinned version/],
  ['another name for what stays', { ...exception, sealed_package_name: 'ejs2' }, /<ORIGIN> rule/],
];

const invalid: [string, object][] = [
  ['project_name', { ...rule, project_name: '' }],
  ['project_name', { ...rule, project_name: 'store front' }],
  ['project_name', { ...rule, project_name: '<any>' }],
  ['project_name', { ...rule, project_name: '<SAFEST>' }],
  ['project_name', { ...rule, project_name: '..' }],
  ['project_name', { ...rule, project_name: 'p'.repeat(256) }],
  ['vulnerable_package_name', { ...rule, vulnerable_package_name: '<ORIGIN>' }],
  ['vulnerable_package_name', { ...rule, vulnerable_package_name: 'a\u0000b' }],
  ['vulnerable_package_version', { ...rule, vulnerable_package_version: 'v'.repeat(513) }],
  ['sealed_package_name', { ...rule, sealed_package_name: '' }],
  ['sealed_package_version', { ...rule, sealed_package_version: '<ANY>' }],
  ['sealed_package_version', { ...rule, sealed_package_version: 1 }],
  ['', { ...rule, created_on: '2026-11-21T13:45:07.123Z' }],
  ['', [rule]],
];

async function expectInconsistentRefused(method: 'POST' | 'PUT'): Promise<void> {
  for (const [name, body, detail] of inconsistent) {
    const answer = await tenant.api(method, path, { body });
    expect(answer.json, name).toMatchObject({ status: 422, code: 'inconsistent_rule' });
    expect(answer.json.detail, name).toMatch(detail);
  }
  expect(await listAll(tenant.api, path)).toEqual([]);
}

async function expectInvalidRefused(method: 'POST' | 'PUT'): Promise<void> {
  for (const name of Object.keys(rule)) {
    const body = Object.fromEntries(Object.entries(rule).filter(([field]) => field !== name));
    const answer = await tenant.api(method, path, { body });
    expect(answer.json).toMatchObject({
      detail: `The field "${name}" is required.`,
      errors: [{ location: 'body', name }],
    });
  }
  for (const [name, body] of invalid) {
    const answer = await tenant.api(method, path, { body });
    expect(answer.json, JSON.stringify(body).slice(0, 200)).toMatchObject({
      status: 422,
      code: 'invalid_parameter',
      errors: [{ location: 'body', name }],
    });
  }
  expect(await listAll(tenant.api, path)).toEqual([]);
}

covers('createSealingRule', 'inconsistent_rule', 'the consistency rule that is broken is named', () =>
  expectInconsistentRefused('POST'),
);
covers('putSealingRule', 'inconsistent_rule', 'the consistency rule that is broken is named', () =>
  expectInconsistentRefused('PUT'),
);
covers('createSealingRule', 'invalid_parameter', 'a field that is missing, malformed or unknown is named', () =>
  expectInvalidRefused('POST'),
);
covers('putSealingRule', 'invalid_parameter', 'a field that is missing, malformed or unknown is named', () =>
  expectInvalidRefused('PUT'),
);

test('names of any script and the longest ones are stored whole', async () => {
  const name = `İß🦭${'Σ'.repeat(508)}`;
  const body = { ...rule, project_name: 'p'.repeat(255), vulnerable_package_name: name, sealed_package_name: name };
  expect((await tenant.api('POST', path, { body })).status).toBe(201);
  expect(await listAll(tenant.api, path)).toMatchObject([body]);
  expect((await tenant.api('DELETE', `${path}?${keyOf(body)}`)).status).toBe(204);
});

test('every change is audited, with the token that made it', async () => {
  const { id, token } = await service.createToken({ tenant });
  await tenant.api('POST', path, { body: rule, token });
  await tenant.api('PUT', path, { body: rule, token });
  await tenant.api('DELETE', `${path}?${keyOf(rule)}`, { token });
  const entries = await service.database.db
    .selectFrom('audit_entries')
    .select(['action', 'subject'])
    .where('actor', '=', id)
    .execute();
  expect(entries.map(({ action }) => action).sort()).toEqual(['rule.created', 'rule.deleted', 'rule.replaced']);
  expect(new Set(entries.map(({ subject }) => subject))).toEqual(new Set(['ejs 2.7.4']));
});
