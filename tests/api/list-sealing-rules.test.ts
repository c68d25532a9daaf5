import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { listAll, pageOf } from '../support/api-client.ts';
import { covers } from '../support/covers.ts';
import { createTestClock } from '../support/test-clock.ts';
import { startTestService, type TestService, type TestTenant } from '../support/test-service.ts';

let service: TestService;
let tenant: TestTenant;
let tenants = 0;

beforeAll(async () => {
  service = await startTestService({ clock: createTestClock() });
});
beforeEach(async () => {
  tenant = await service.createTenant(`tenant-${++tenants}`);
});
afterAll(() => service[Symbol.asyncDispose]());

const path = '/sealing-rules';

/** Short for a rule: `project name version`, `<ANY>` in place of a name and version for every package. */
async function addRules(...rules: string[]): Promise<void> {
  for (const text of rules) {
    const [project_name, name = '<ANY>', version = '<ANY>'] = text.split(' ');
    const body = {
      project_name,
      vulnerable_package_name: name,
      vulnerable_package_version: version,
      sealed_package_name: name,
      sealed_package_version: '<SAFEST>',
    };
    expect((await tenant.api('POST', path, { body })).status).toBe(201);
  }
}

async function found(query: string): Promise<string[]> {
  const items = await listAll(tenant.api, `${path}?${query}`);
  return items.map((rule) => `${rule.project_name} ${rule.vulnerable_package_name}`);
}

covers('listSealingRules', 200, 'a rule has exactly six fields, all strings', async () => {
  await addRules('storefront ejs 2.7.4');

  const { json } = await tenant.api('GET', path);

  expect(json).toEqual({
    items: [
      {
        project_name: 'storefront',
        vulnerable_package_name: 'ejs',
        vulnerable_package_version: '2.7.4',
        sealed_package_name: 'ejs',
        sealed_package_version: '<SAFEST>',
        created_on: '2026-11-21T13:45:07.123Z',
      },
    ],
    next_page: null,
  });
});

test('an empty list is a page without items whose next_page is null', async () => {
  expect((await tenant.api('GET', path)).json).toEqual({ items: [], next_page: null });
});

test('filters are three-way and both must hold', async () => {
  await addRules('<ANY>', '<ANY> ejs 2.7.4', 'Storefront', 'storefront-EU Lodash 4.0.0', 'warehouse a%b_c 1.0.0');
  const any = encodeURIComponent('<ANY>');

  expect(await found('')).toHaveLength(5);
  expect(await found('project_name_filter=STORE')).toEqual(['Storefront <ANY>', 'storefront-EU Lodash']);
  expect(await found(`project_name_filter=${any}`)).toEqual(['<ANY> <ANY>', '<ANY> ejs']);
  expect(await found('package_name_filter=loDASH')).toEqual(['storefront-EU Lodash']);
  expect(await found(`package_name_filter=${any}`)).toEqual(['<ANY> <ANY>', 'Storefront <ANY>']);
  expect(await found(`project_name_filter=${any}&package_name_filter=${any}`)).toEqual(['<ANY> <ANY>']);
  expect(await found(`project_name_filter=store&package_name_filter=${any}`)).toEqual(['Storefront <ANY>']);
  expect(await found(`project_name_filter=${any}&package_name_filter=ejs`)).toEqual(['<ANY> ejs']);
  expect(await found('project_name_filter=store&package_name_filter=ejs')).toEqual([]);
});

test('percent and underscore are plain characters, and a half-written sentinel matches nothing', async () => {
  await addRules('<ANY> a%b_c 1.0.0', '<ANY> axbyc 1.0.0');

  expect(await found('package_name_filter=a%25b')).toEqual(['<ANY> a%b_c']);
  expect(await found('package_name_filter=%25')).toEqual(['<ANY> a%b_c']);
  expect(await found('package_name_filter=b_c')).toEqual(['<ANY> a%b_c']);
  expect(await found('package_name_filter=%5C')).toEqual([]);
  for (const text of ['<any>', '<AN', 'ANY>', '<SAFEST>']) {
    expect(await found(`package_name_filter=${encodeURIComponent(text)}`)).toEqual([]);
    expect(await found(`project_name_filter=${encodeURIComponent(text)}`)).toEqual([]);
  }
});

test('an empty filter is a substring of every concrete name', async () => {
  await addRules('<ANY>', '<ANY> ejs 2.7.4', 'storefront');

  expect(await found('project_name_filter=')).toEqual(['storefront <ANY>']);
  expect(await found('package_name_filter=')).toEqual(['<ANY> ejs']);
});

test('limit is from 1 to 200 with a default of 100, and may change between pages', async () => {
  const names = Array.from({ length: 205 }, (_, index) => `<ANY> package-${index} 1.0.0`);
  await addRules(...names);
  const page = async (query: string) => pageOf(await tenant.api('GET', `${path}?${query}`));

  expect((await page('')).items).toHaveLength(100);
  expect((await page('limit=200')).items).toHaveLength(200);
  const first = await page('limit=1');
  const second = await page(`limit=3&cursor=${first.next_page}`);
  const last = await page(`limit=200&cursor=${(await page(`cursor=${second.next_page}`)).next_page}`);

  expect(first.items[0]).toMatchObject({ vulnerable_package_name: 'package-0' });
  expect(second.items.map((rule) => rule.vulnerable_package_name)).toEqual(['package-1', 'package-2', 'package-3']);
  expect(last.items).toHaveLength(101);
  expect(last.next_page).toBeNull();
  expect(await found('limit=7')).toHaveLength(205);
});

test('a last page that is exactly full has no next one', async () => {
  await addRules('a', 'b');
  expect(pageOf(await tenant.api('GET', `${path}?limit=2`)).next_page).toBeNull();
});

test('a rule that is made or deleted while a client pages is neither skipped nor repeated', async () => {
  await addRules('a', 'b', 'c');
  const first = pageOf(await tenant.api('GET', `${path}?limit=2`));
  await addRules('d');
  const key = `project_name=a&vulnerable_package_name=${encodeURIComponent('<ANY>')}&vulnerable_package_version=${encodeURIComponent('<ANY>')}`;
  expect((await tenant.api('DELETE', `${path}?${key}`)).status).toBe(204);

  const second = pageOf(await tenant.api('GET', `${path}?limit=2&cursor=${first.next_page}`));

  expect(second.items.map((rule) => rule.project_name)).toEqual(['c', 'd']);
});

covers('listSealingRules', 'invalid_parameter', 'a limit out of range or no integer is named', async () => {
  for (const limit of ['0', '201', '-1', 'abc', '1.5', '1e2', '', '%2010', '0x10', '99999999999999999999']) {
    const answer = await tenant.api('GET', `${path}?limit=${limit}`);
    expect(answer.json, limit).toMatchObject({
      status: 422,
      detail: 'The parameter "limit" must be an integer from 1 to 200.',
      errors: [{ location: 'query', name: 'limit' }],
    });
  }
});

test('a repeated parameter is 422 naming it', async () => {
  const answer = await tenant.api('GET', `${path}?limit=1&limit=2`);
  expect(answer.json).toMatchObject({ status: 422, errors: [{ location: 'query', name: 'limit' }] });
});

covers('listSealingRules', 'invalid_cursor', 'a cursor counts only where and as it was given out', async () => {
  await addRules('alpha', 'alphabet');
  const { next_page: cursor } = pageOf(await tenant.api('GET', `${path}?limit=1&project_name_filter=alpha`));
  const other = await service.createTenant(`other-${tenant.name}`);
  const elsewhere: [string, () => ReturnType<typeof tenant.api>][] = [
    ['without its filter', () => tenant.api('GET', `${path}?cursor=${cursor}`)],
    ['with another filter', () => tenant.api('GET', `${path}?project_name_filter=alph&cursor=${cursor}`)],
    [
      'with one more filter',
      () => tenant.api('GET', `${path}?project_name_filter=alpha&package_name_filter=&cursor=${cursor}`),
    ],
    ['of another tenant', () => other.api('GET', `${path}?project_name_filter=alpha&cursor=${cursor}`)],
    ['of another list', () => tenant.api('GET', `/projects?cursor=${cursor}`)],
    ['cut off', () => tenant.api('GET', `${path}?project_name_filter=alpha&cursor=${cursor?.slice(0, -2)}`)],
    ['with more behind', () => tenant.api('GET', `${path}?project_name_filter=alpha&cursor=${cursor}AA`)],
    ['empty', () => tenant.api('GET', `${path}?cursor=`)],
    ['made up', () => tenant.api('GET', `${path}?cursor=4294967297`)],
  ];
  for (const [name, ask] of elsewhere) {
    expect((await ask()).json, name).toMatchObject({ status: 400, code: 'invalid_cursor' });
  }
  expect((await tenant.api('GET', `${path}?project_name_filter=alpha&cursor=${cursor}`)).status).toBe(200);
});
