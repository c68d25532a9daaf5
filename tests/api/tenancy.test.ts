import { type Endpoint, endpoints } from '@sealsmith/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Api, type ApiAnswer, listAll, pageOf } from '../support/api-client.ts';
import {
  importPlainTemplate,
  plainTemplate,
  publishPlainTemplate,
  sealPlainTemplate,
} from '../support/plain-template.ts';
import { sampleRequests } from '../support/sample-requests.ts';
import { serviceKinds, type TestService, type TestTenant } from '../support/test-service.ts';

const { name, vulnerable, sealed, cve } = plainTemplate;
const template = { ecosystem: 'NPM', package_name: name, package_version: vulnerable };
const rule = {
  project_name: 'storefront',
  vulnerable_package_name: name,
  vulnerable_package_version: vulnerable,
  sealed_package_name: name,
  sealed_package_version: '<SAFEST>',
};
const ruleKey = `project_name=storefront&vulnerable_package_name=${name}&vulnerable_package_version=${vulnerable}`;
const promptQuery = new URLSearchParams({
  ecosystem: 'NPM',
  package_name: name,
  vulnerable_version: vulnerable,
  vulnerability_identifier: cve,
});
const lists = ['/sealing-rules', '/packages/vulnerable', '/fixes', '/projects'];

/** What the caller may not see and what there is not must not be told apart. */
function expectSameRefusal(hidden: ApiAnswer, absent: ApiAnswer): void {
  const { request_id: _, ...ofHidden } = hidden.json;
  const { request_id: __, ...ofAbsent } = absent.json;
  expect(hidden.status).toBe(404);
  expect(ofHidden).toEqual(ofAbsent);
  const names = (answer: ApiAnswer) => [...answer.headers.keys()].sort();
  expect(names(hidden)).toEqual(names(absent));
}

describe.each(serviceKinds)('tenants on $kind', ({ start }) => {
  let service: TestService;
  let acme: TestTenant;
  let lookAlike: TestTenant;
  let fixId: string;

  beforeAll(async () => {
    service = await start();
    await publishPlainTemplate(service.upstream);
    acme = await service.createTenant('acme');
    lookAlike = await service.createTenant('acme-');
    await importPlainTemplate(acme.api);
    await acme.api('POST', '/projects/storefront/scans', { body: { packages: [template] } });
    await acme.api('POST', '/sealing-rules', { body: rule });
    fixId = (await sealPlainTemplate(acme.api)).id;
  });
  afterAll(() => service[Symbol.asyncDispose]());

  const everythingOf = async (api: Api) => ({
    lists: await Promise.all(lists.map((path) => listAll(api, path))),
    scans: await listAll(api, '/projects/storefront/scans'),
    fix: (await api('GET', `/fixes/${fixId}`)).json,
    prompt: (await api('GET', `/patches/validation-prompt?${promptQuery}`)).text,
  });

  test('the look-alike sees nothing of it', async () => {
    for (const path of lists) {
      expect(await listAll(acme.api, path), path).toHaveLength(1);
      expect(await listAll(lookAlike.api, path), path).toEqual([]);
    }
    const packages = [template, { ...template, package_version: sealed }];
    const resolved = await lookAlike.api('POST', '/sealing-rules/resolve', {
      body: { project_name: 'storefront', packages },
    });
    expect(resolved.json).toMatchObject({ items: [{ outcome: 'no_rule' }, { outcome: 'no_rule' }] });
    const [draft] = [{ ...rule, sealed_package_version: sealed }];
    const simulated = await lookAlike.api('POST', '/sealing-rules/resolve', {
      body: { project_name: 'storefront', packages: [template], draft_rules: [draft] },
    });
    expect(simulated.json).toMatchObject({ items: [{ outcome: 'unresolved', artifact: null }] });
  });

  test('what it may not see gives the very answer of what there is not', async () => {
    const { api } = lookAlike;
    expectSameRefusal(await api('GET', `/fixes/${fixId}`), await api('GET', `/fixes/${fixId.replace(/.$/, '!')}`));
    expectSameRefusal(
      await api('DELETE', `/sealing-rules?${ruleKey}`),
      await api('DELETE', `/sealing-rules?${ruleKey.replace('storefront', 'nowhere')}`),
    );
    const hidden = await api('GET', '/projects/storefront/scans');
    expectSameRefusal(hidden, await service.api('GET', '/projects/storefront/scans'));
    const body = { ...template, project_name: 'storefront', is_hidden: true };
    const hiding = (each: Api) => each('PUT', '/packages/vulnerable/hidden', { body });
    expectSameRefusal(await hiding(api), await hiding(service.api));
    const prompting = (each: Api) => each('GET', `/patches/validation-prompt?${promptQuery}`);
    expectSameRefusal(await prompting(api), await prompting(service.api));
    const artifact = (tenant: TestTenant, version: string) =>
      fetch(`${service.url}/artifacts/npm/${name}/-/${name}-${version}.tgz`, {
        headers: { authorization: `Bearer ${tenant.token}` },
      });
    expect((await artifact(acme, sealed)).status).toBe(200);
    const [notMine, notThere] = [await artifact(lookAlike, sealed), await artifact(lookAlike, '1.4.2-sp2')];
    expect(notMine.status).toBe(404);
    expect((await notMine.text()).replace('-sp1', '-sp2')).toBe(await notThere.text());
  });

  test('a cursor of the other tenant is refused', async () => {
    await acme.api('PUT', '/sealing-rules', { body: { ...rule, project_name: 'warehouse' } });
    const { next_page: cursor } = pageOf(await acme.api('GET', '/sealing-rules?limit=1'));
    const answer = await lookAlike.api('GET', `/sealing-rules?cursor=${cursor}`);
    expect(answer.json).toMatchObject({ status: 400, code: 'invalid_cursor' });
    await acme.api('DELETE', `/sealing-rules?${ruleKey.replace('storefront', 'warehouse')}`);
  });

  test('nothing that the look-alike does changes anything of it', async () => {
    const before = await everythingOf(acme.api);
    const { api } = lookAlike;
    await importPlainTemplate(api);
    for (const endpoint of Object.values(endpoints) as Endpoint[]) {
      const { path, body } = sampleRequests[endpoint.id as keyof typeof sampleRequests];
      await api(endpoint.method, path.replace('sample', fixId), { body });
    }
    await api('PUT', '/sealing-rules', { body: { ...rule, sealed_package_version: '<ORIGIN>' } });
    await api('POST', '/projects/storefront/scans', { body: { packages: [template] } });
    const hidden = { ...template, project_name: 'storefront', is_hidden: true };
    expect((await api('PUT', '/packages/vulnerable/hidden', { body: hidden })).status).toBe(200);
    expect((await api('DELETE', `/sealing-rules?${ruleKey}`)).status).toBe(204);

    expect(await everythingOf(acme.api)).toEqual(before);
    expect((await sealPlainTemplate(api)).id).not.toBe(fixId);
    expect(await everythingOf(acme.api)).toEqual(before);
  });
});
