import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { listAll, pageOf } from '../support/api-client.ts';
import { covers } from '../support/covers.ts';
import { importPlainTemplate, plainTemplate } from '../support/plain-template.ts';
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

const create = (name: unknown) => tenant.api('POST', '/projects', { body: { name } });
const scans = '/projects/storefront/scans';
const template = { ecosystem: 'NPM', package_name: plainTemplate.name, package_version: plainTemplate.vulnerable };
const lock = {
  name: 'storefront',
  lockfileVersion: 3,
  packages: {
    '': { dependencies: { [plainTemplate.name]: '^1.0.0' } },
    [`node_modules/${plainTemplate.name}`]: { version: plainTemplate.vulnerable, integrity: 'sha512-AAAA' },
  },
};

covers('createProject', 201, 'the project is answered and listed', async () => {
  const answer = await create('storefront');
  expect(answer.json).toEqual({ name: 'storefront', created_on: expect.stringMatching(/Z$/) });
  expect(await listAll(tenant.api, '/projects')).toEqual([answer.json]);
});

covers('createProject', 'project_exists', 'a name is given once', async () => {
  await create('storefront');
  expect((await create('storefront')).json).toMatchObject({ status: 409, code: 'project_exists' });
  expect((await create('Storefront')).status).toBe(201);
});

covers('createProject', 'invalid_parameter', 'a name that is none is 422', async () => {
  for (const name of [undefined, null, '', '.', '..', 'a/b', 'a b', '<ANY>', 'ä', 'p'.repeat(256)]) {
    expect((await create(name)).json, String(name)).toMatchObject({
      status: 422,
      errors: [{ location: 'body', name: 'name' }],
    });
  }
});

covers('listProjects', 200, 'projects come by name, page by page', async () => {
  for (const name of ['b', 'B', 'a', 'a-1', '_']) await create(name);
  const names = (await listAll(tenant.api, '/projects?limit=2')).map(({ name }) => name);
  expect(names).toEqual(['B', '_', 'a', 'a-1', 'b']);
});

covers('listProjects', 'invalid_parameter', 'a limit out of range is named', async () => {
  const answer = await tenant.api('GET', '/projects?limit=201');
  expect(answer.json).toMatchObject({ errors: [{ location: 'query', name: 'limit' }] });
});

covers('listProjects', 'invalid_cursor', 'a made-up cursor is refused', async () => {
  expect((await tenant.api('GET', '/projects?cursor=YQ')).json).toMatchObject({ status: 400, code: 'invalid_cursor' });
});

covers(
  'createScan',
  201,
  'a list of packages answers its counts and what is vulnerable, and makes the project',
  async () => {
    await importPlainTemplate(tenant.api);
    const packages = [template, template, { ...template, package_name: 'clean' }];

    const answer = await tenant.api('POST', scans, { body: { packages } });

    expect(answer.json).toMatchObject({
      project_name: 'storefront',
      source: 'packages',
      format: 'package_list',
      package_count: 2,
      vulnerable_package_count: 1,
      vulnerable_packages: [{ package_name: plainTemplate.name, fix_availability: 'generate_fix' }],
      problems: [],
    });
    expect(await listAll(tenant.api, '/projects')).toMatchObject([{ name: 'storefront' }]);
  },
);

covers('createScan', 201, 'a lockfile is read whole', async () => {
  await importPlainTemplate(tenant.api);
  const answer = await tenant.api('POST', `${scans}?source=shop%2Fpackage-lock.json`, { body: lock });
  expect(answer.json).toMatchObject({
    source: 'shop/package-lock.json',
    format: 'package_lock',
    package_count: 1,
    vulnerable_package_count: 1,
  });
});

covers('createScan', 201, 'a bad item of a list is a problem of that item', async () => {
  const packages = [{ ...template, ecosystem: 'cargo' }, template, { package_name: 'x' }, 'x'];
  const answer = await tenant.api('POST', scans, { body: { packages } });
  expect(answer.json).toMatchObject({ package_count: 1, problems: [{ index: 0 }, { index: 2 }, { index: 3 }] });
});

covers(
  'createScan',
  'invalid_manifest',
  'what is neither a list nor a lockfile is 422, and leaves nothing',
  async () => {
    for (const body of [
      {},
      { packages: {} },
      'null',
      '1',
      '"x"',
      { lockfileVersion: 9 },
      { lockfileVersion: 3, packages: 1 },
    ]) {
      const answer = await tenant.api('POST', scans, { body });
      expect(answer.json, JSON.stringify(body)).toMatchObject({ status: 422, code: 'invalid_manifest' });
    }
    expect(await listAll(tenant.api, '/projects')).toEqual([]);
  },
);

covers('createScan', 'invalid_parameter', 'a project name that is none and an empty source are named', async () => {
  const project = await tenant.api('POST', '/projects/a%20b/scans', { body: { packages: [] } });
  expect(project.json).toMatchObject({ status: 422, errors: [{ location: 'path', name: 'project_name' }] });
  const source = await tenant.api('POST', `${scans}?source=`, { body: { packages: [] } });
  expect(source.json).toMatchObject({ status: 422, errors: [{ location: 'query', name: 'source' }] });
});

test('a scan replaces what the same source saw, and no other source', async () => {
  await importPlainTemplate(tenant.api);
  const scan = (source: string, packages: object[]) =>
    tenant.api('POST', `${scans}?source=${source}`, { body: { packages } });
  await scan('one', [template]);
  await scan('two', [{ ...template, package_version: '1.0.0' }]);
  await scan('one', []);
  expect(await listAll(tenant.api, '/packages/vulnerable')).toMatchObject([{ package_version: '1.0.0' }]);
});

covers('listScans', 200, 'scans come newest first, page by page', async () => {
  for (const source of ['first', 'second', 'third']) {
    await tenant.api('POST', `${scans}?source=${source}`, { body: { packages: [template] } });
  }
  const items = await listAll(tenant.api, `${scans}?limit=2`);
  const times = items.map(({ created_on }) => String(created_on));
  expect(items.map(({ source }) => source).sort()).toEqual(['first', 'second', 'third']);
  expect(times).toEqual([...times].sort().reverse());
  expect(items[0]).toMatchObject({ project_name: 'storefront', format: 'package_list', package_count: 1 });
});

covers('listScans', 'not_found', 'a project that is not there is 404', async () => {
  await create('storefront');
  expect((await tenant.api('GET', scans)).json).toEqual({ items: [], next_page: null });
  const answer = await tenant.api('GET', '/projects/Storefront/scans');
  expect(answer.json).toMatchObject({ status: 404, code: 'not_found' });
});

covers('listScans', 'invalid_parameter', 'a project name that is none and a limit out of range are named', async () => {
  for (const [path, location, name] of [
    ['/projects/%3CANY%3E/scans', 'path', 'project_name'],
    [`${scans}?limit=0`, 'query', 'limit'],
  ] as const) {
    expect((await tenant.api('GET', path)).json).toMatchObject({ status: 422, errors: [{ location, name }] });
  }
});

covers('listScans', 'invalid_cursor', 'a cursor of another project is refused', async () => {
  for (const project of ['storefront', 'warehouse']) {
    for (const source of ['a', 'b']) {
      await tenant.api('POST', `/projects/${project}/scans?source=${source}`, { body: { packages: [] } });
    }
  }
  const { next_page: cursor } = pageOf(await tenant.api('GET', `${scans}?limit=1`));
  const answer = await tenant.api('GET', `/projects/warehouse/scans?cursor=${cursor}`);
  expect(answer.json).toMatchObject({ status: 400, code: 'invalid_cursor' });
});
