import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { listAll, pageOf } from '../support/api-client.ts';
import { covers } from '../support/covers.ts';
import {
  fixWhenEnded,
  importPlainTemplate,
  osvRecord,
  plainTemplate,
  plainTemplateFix,
  publishPlainTemplate,
} from '../support/plain-template.ts';
import { startTestService, type TestService, type TestTenant } from '../support/test-service.ts';

let service: TestService;
let tenant: TestTenant;
let tenants = 0;

beforeAll(async () => {
  service = await startTestService();
  await publishPlainTemplate(service.upstream);
});
beforeEach(async () => {
  tenant = await service.createTenant(`tenant-${++tenants}`);
  await importPlainTemplate(tenant.api);
});
afterAll(() => service[Symbol.asyncDispose]());

const path = '/packages/vulnerable';
const { name, vulnerable, sealed, cve, ghsa } = plainTemplate;
const npm = (package_name: string, package_version: string) => ({ ecosystem: 'NPM', package_name, package_version });
const template = npm(name, vulnerable);

async function scan(project: string, packages: object[], token = tenant.token): Promise<void> {
  const answer = await tenant.api('POST', `/projects/${project}/scans`, { body: { packages }, token });
  expect(answer.json).toMatchObject({ problems: [] });
}

async function state() {
  const [record] = await listAll(tenant.api, path);
  const [vulnerability] = (record?.vulnerabilities ?? []) as { state: string }[];
  return [record?.fix_availability, record?.sealed_package_version, vulnerability?.state];
}

covers('listVulnerablePackages', 200, 'a record has the fields of the contract', async () => {
  await scan('storefront', [template, npm('clean', '1.0.0')]);

  const { json } = await tenant.api('GET', path);

  expect(json).toEqual({
    items: [
      {
        package_name: name,
        package_version: vulnerable,
        ecosystem: 'NPM',
        project_name: 'storefront',
        fix_availability: 'generate_fix',
        sealed_package_name: null,
        sealed_package_version: null,
        vulnerabilities: [
          { identifier: cve, aliases: [ghsa], severity: 'high', cvss_score: 7.5, state: 'open', sealed_by: null },
        ],
        is_hidden: false,
        access_token_role: 'Production',
        first_seen_on: expect.stringMatching(/^\d{4}-.*Z$/),
        last_seen_on: expect.stringMatching(/^\d{4}-.*Z$/),
      },
    ],
    next_page: null,
  });
});

test('a package goes from generate_fix by every state to sealed, and is listed again when its origin is back', async () => {
  await scan('storefront', [template]);
  expect(await state()).toEqual(['generate_fix', null, 'open']);

  const release = service.upstream.hold();
  const asking = tenant.api('POST', '/generate-fix', { body: plainTemplateFix });
  release();
  const fix = await fixWhenEnded(tenant.api, String((await asking).json.id));
  expect(fix.status).toBe('succeeded');
  expect(await state()).toEqual(['seal_available', sealed, 'open']);

  const rule = {
    project_name: '<ANY>',
    vulnerable_package_name: '<ANY>',
    vulnerable_package_version: '<ANY>',
    sealed_package_name: '<ANY>',
    sealed_package_version: '<SAFEST>',
  };
  expect((await tenant.api('POST', '/sealing-rules', { body: rule })).status).toBe(201);
  expect(await state()).toEqual(['pending_deploy', sealed, 'open']);

  await scan('storefront', [npm(name, sealed)]);
  expect(await state()).toEqual(['sealed', sealed, 'sealed']);

  const later = osvRecord('CVE-2026-3000', name);
  expect((await tenant.api('POST', '/advisories/import', { body: later })).json).toMatchObject({ imported: 1 });
  const [record] = await listAll(tenant.api, path);
  expect(record).toMatchObject({
    vulnerabilities: expect.arrayContaining([
      expect.objectContaining({ identifier: cve, state: 'sealed', sealed_by: sealed }),
      expect.objectContaining({ identifier: 'CVE-2026-3000', state: 'open', sealed_by: null }),
    ]),
  });
});

test('while a fix is under way the state says so; one without a patch ends as unfixable', async () => {
  const other = await service.createTenant(`${tenant.name}-without-patch`);
  await importPlainTemplate(other.api, { hasPatch: false });
  await other.api('POST', '/projects/storefront/scans', { body: { packages: [template] } });
  const asked = await other.api('POST', '/generate-fix', { body: plainTemplateFix });
  await fixWhenEnded(other.api, String(asked.json.id));
  expect(await listAll(other.api, path)).toMatchObject([{ fix_availability: 'unfixable' }]);
});

test('the filters restrict, each alone and together', async () => {
  const { api } = tenant;
  const { token } = await service.createToken({ tenant, role: 'development' });
  await api('POST', '/advisories/import', { body: osvRecord('CVE-2026-2000', '@acme/set_x') });
  await scan('Storefront', [template, npm('@acme/set_x', '1.0.0')]);
  await scan('warehouse', [template]);
  await scan('storefront-dev', [template], token);
  const found = async (query: string) =>
    (await listAll(api, `${path}?${query}`)).map((item) => `${item.project_name} ${item.package_name}`).sort();

  expect(await found('')).toEqual(['Storefront @acme/set_x', `Storefront ${name}`, `warehouse ${name}`]);
  expect(await found('package_name_contains=SET_')).toEqual(['Storefront @acme/set_x']);
  expect(await found('package_name_contains=s%25t')).toEqual([]);
  expect(await found('project_name_filter=STORE')).toEqual(['Storefront @acme/set_x', `Storefront ${name}`]);
  expect(await found('project_name_filter=ware&package_name_contains=acme')).toEqual([]);
  expect(await found('ecosystem=npm')).toHaveLength(3);
  expect(await found('ecosystem=PyPI')).toEqual([]);
  expect(await found('access_token_role=development')).toEqual([`storefront-dev ${name}`]);
  expect(await found('fix_availability=generate_fix')).toHaveLength(3);
  expect(await found('fix_availability=sealed')).toEqual([]);
  expect(await found('package_name_contains=&project_name_filter=')).toHaveLength(3);
});

test('every page together is the list, whatever the limit', async () => {
  await scan('a', [template, npm(name, '1.0.0')]);
  await scan('b', [template]);
  const whole = await listAll(tenant.api, path);
  expect(whole).toHaveLength(3);
  expect(await listAll(tenant.api, `${path}?limit=1`)).toEqual(whole);
  expect(await listAll(tenant.api, `${path}?limit=2`)).toEqual(whole);
});

covers('listVulnerablePackages', 'invalid_parameter', 'a value that a parameter does not take is named', async () => {
  for (const [parameter, value] of [
    ['limit', '0'],
    ['limit', '201'],
    ['ecosystem', 'cargo'],
    ['is_hidden', '1'],
    ['is_hidden', 'TRUE'],
    ['access_token_role', 'admin'],
    ['fix_availability', 'fixed'],
  ]) {
    const answer = await tenant.api('GET', `${path}?${parameter}=${value}`);
    expect(answer.json).toMatchObject({ status: 422, errors: [{ location: 'query', name: parameter }] });
  }
});

covers('listVulnerablePackages', 'invalid_cursor', 'a cursor of other filters is refused', async () => {
  await scan('a', [template, npm(name, '1.0.0')]);
  const { next_page: cursor } = pageOf(await tenant.api('GET', `${path}?limit=1`));
  for (const query of [`is_hidden=true&cursor=${cursor}`, `project_name_filter=a&cursor=${cursor}`, 'cursor=x']) {
    expect((await tenant.api('GET', `${path}?${query}`)).json).toMatchObject({ status: 400, code: 'invalid_cursor' });
  }
  expect((await tenant.api('GET', `${path}?is_hidden=false&cursor=${cursor}`)).status).toBe(200);
});

const hide = (change: object = {}) =>
  tenant.api('PUT', `${path}/hidden`, {
    body: { ...template, project_name: 'storefront', is_hidden: true, ...change },
  });

covers('setVulnerablePackageHidden', 200, 'what is hidden is listed only when hidden is asked for', async () => {
  await scan('storefront', [template]);
  await scan('warehouse', [template]);

  expect((await hide()).json).toMatchObject({ project_name: 'storefront', is_hidden: true });

  expect(await listAll(tenant.api, path)).toMatchObject([{ project_name: 'warehouse' }]);
  expect(await listAll(tenant.api, `${path}?is_hidden=true`)).toMatchObject([{ project_name: 'storefront' }]);
  await scan('storefront', [template]);
  expect(await listAll(tenant.api, `${path}?is_hidden=true`)).toHaveLength(1);
  expect((await hide({ is_hidden: false })).json).toMatchObject({ is_hidden: false });
  expect(await listAll(tenant.api, path)).toHaveLength(2);
});

covers('setVulnerablePackageHidden', 'not_found', 'what is not recorded cannot be hidden', async () => {
  await scan('storefront', [template]);
  for (const change of [
    { project_name: 'warehouse' },
    { package_name: 'clean' },
    { package_name: '../x' },
    { package_version: '2.0.0' },
    { ecosystem: 'PyPI' },
    { access_token_role: 'Development' },
  ]) {
    expect((await hide(change)).json, JSON.stringify(change)).toMatchObject({ status: 404, code: 'not_found' });
  }
});

covers('setVulnerablePackageHidden', 'invalid_parameter', 'a missing or malformed field is named', async () => {
  for (const [field, value] of [
    ['is_hidden', undefined],
    ['is_hidden', 'true'],
    ['project_name', 'a b'],
    ['ecosystem', 'cargo'],
    ['access_token_role', 'admin'],
  ] as const) {
    expect((await hide({ [field]: value })).json).toMatchObject({
      status: 422,
      errors: [{ location: 'body', name: field }],
    });
  }
});
