import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { listAll } from '../support/api-client.ts';
import { covers } from '../support/covers.ts';
import { osvRecord, plainTemplateAdvisory, plainTemplatePatchSet } from '../support/plain-template.ts';
import { startTestService, type TestService, type TestTenant } from '../support/test-service.ts';

let service: TestService;
let tenant: TestTenant;
let tenants = 0;

beforeAll(async () => {
  service = await startTestService({ environment: { SEALSMITH_ROLES: 'api' } });
});
beforeEach(async () => {
  tenant = await service.createTenant(`tenant-${++tenants}`);
});
afterAll(() => service[Symbol.asyncDispose]());

const importPatches = (patch_sets: unknown) => tenant.api('POST', '/patches/import', { body: { patch_sets } });
const importAdvisories = (body: unknown, type = 'application/json') =>
  tenant.api('POST', '/advisories/import', { body, headers: { 'content-type': type } });

covers('importPatches', 200, 'a set is imported once, and again when it changed', async () => {
  const counts = async (set: object) => (await importPatches([set])).json;
  expect(await counts(plainTemplatePatchSet)).toEqual({ imported: 1, unchanged: 0, skipped: 0, problems: [] });
  expect(await counts(plainTemplatePatchSet)).toMatchObject({ imported: 0, unchanged: 1 });
  const [patch] = plainTemplatePatchSet.patches;
  const changed = { ...plainTemplatePatchSet, patches: [{ ...patch, text: `${patch?.text}-- \n2.50\n` }] };
  expect(await counts(changed)).toMatchObject({ imported: 1, unchanged: 0 });
});

covers('importPatches', 200, 'a bad set is named with its reason, and the others are imported', async () => {
  const [patch] = plainTemplatePatchSet.patches;
  const bad = [
    null,
    { ...plainTemplatePatchSet, ecosystem: 'cargo' },
    { ...plainTemplatePatchSet, package_name: '../x' },
    { ...plainTemplatePatchSet, iteration: 0 },
    { ...plainTemplatePatchSet, patches: [] },
    { ...plainTemplatePatchSet, patches: [{ ...patch, file_name: '../0001-CVE-2026-1000.patch' }] },
    { ...plainTemplatePatchSet, patches: [{ ...patch, text: 'no patch' }] },
    { ...plainTemplatePatchSet, patches: [patch, patch] },
  ];
  const { json } = await importPatches([...bad, plainTemplatePatchSet]);
  expect(json).toMatchObject({ imported: 1, skipped: bad.length });
  const problems = json.problems as { name: string; reason: string }[];
  expect(problems.map(({ name }) => /^patch_sets\.\d+/.exec(name)?.[0])).toEqual(
    bad.map((_, index) => `patch_sets.${index}`),
  );
  for (const { reason } of problems) expect(reason).toMatch(/^\S.*\.$/s);
});

covers('importPatches', 'invalid_parameter', 'what is no list of sets, or too long, is 422', async () => {
  for (const sets of [undefined, {}, Array(1_001).fill({})]) {
    expect((await importPatches(sets)).json).toMatchObject({
      status: 422,
      errors: [{ location: 'body', name: 'patch_sets' }],
    });
  }
});

covers('importAdvisories', 200, 'records are read from JSON, JSON lines and YAML, each once', async () => {
  const records = [1, 2, 3].map((number) => osvRecord(`CVE-2026-${number}000`, 'plain-template'));
  const yaml = 'id: CVE-2026-4000\nmodified: 2026-11-01T00:00:00Z\naffected: []\n';
  const lines = records.map((record) => JSON.stringify(record)).join('\n');

  expect((await importAdvisories(records[0])).json).toMatchObject({ imported: 1, unchanged: 0, problems: [] });
  expect((await importAdvisories(records)).json).toMatchObject({ imported: 2, unchanged: 1 });
  expect((await importAdvisories(lines, 'application/x-ndjson')).json).toMatchObject({ imported: 0, unchanged: 3 });
  expect((await importAdvisories(yaml, 'application/yaml; charset=utf-8')).json).toMatchObject({ imported: 1 });
});

covers('importAdvisories', 200, 'a bad record is named with its reason, and the others are imported', async () => {
  const lines = ['{', '{"id": "CVE-2026-1"}', JSON.stringify(plainTemplateAdvisory)].join('\n');
  const { json } = await importAdvisories(lines, 'application/x-ndjson');
  expect(json).toMatchObject({ imported: 1, skipped: 2, problems: [{ name: 'input:1' }, { name: 'input:2' }] });
});

covers('importAdvisories', 200, 'a body that cannot be read at all is a problem, not a failure', async () => {
  for (const [body, type] of [
    ['{"a":', 'application/json'],
    [Buffer.from('no zip'), 'application/zip'],
    [Buffer.from([0xff, 0xfe, 0x00]), 'application/yaml'],
  ] as const) {
    expect((await importAdvisories(body, type)).json, type).toMatchObject({ imported: 0, skipped: 1 });
  }
});

test('an advisory changes the states of what is scanned already, at once', async () => {
  const packages = [{ ecosystem: 'NPM', package_name: 'plain-template', package_version: '1.0.0' }];
  await tenant.api('POST', '/projects/storefront/scans', { body: { packages } });
  expect(await listAll(tenant.api, '/packages/vulnerable')).toEqual([]);

  await importAdvisories(plainTemplateAdvisory);
  expect(await listAll(tenant.api, '/packages/vulnerable')).toHaveLength(1);

  await importAdvisories({
    ...plainTemplateAdvisory,
    modified: '2026-11-02T00:00:00Z',
    withdrawn: '2026-11-02T00:00:00Z',
  });
  expect(await listAll(tenant.api, '/packages/vulnerable')).toEqual([]);
});
