import { afterAll, beforeAll, expect, test } from 'vitest';
import { listAll, pageOf } from '../support/api-client.ts';
import { covers } from '../support/covers.ts';
import {
  fixWhenEnded,
  importPlainTemplate,
  plainTemplate,
  plainTemplateFix,
  publishPlainTemplate,
  sealPlainTemplate,
} from '../support/plain-template.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

let service: TestService;
let ids: string[];

beforeAll(async () => {
  service = await startTestService();
  await publishPlainTemplate(service.upstream);
  await importPlainTemplate(service.api);
  const { id } = await sealPlainTemplate(service.api);
  const other = await service.api('POST', '/generate-fix', {
    body: { ...plainTemplateFix, vulnerable_version: '1.0.0' },
  });
  await fixWhenEnded(service.api, String(other.json.id));
  ids = [String(other.json.id), id];
});
afterAll(() => service[Symbol.asyncDispose]());

covers('listFixes', 200, 'fixes come newest first, page by page', async () => {
  const items = await listAll(service.api, '/fixes?limit=1');
  expect(items.map(({ id }) => id)).toEqual(ids);
  expect(items).toMatchObject([
    { status: 'unfixable', vulnerable_version: '1.0.0' },
    { status: 'succeeded', sealed_package_version: plainTemplate.sealed },
  ]);
});

test('the status filters', async () => {
  const ofStatus = async (status: string) =>
    (await listAll(service.api, `/fixes?status=${status}`)).map(({ id }) => id);
  expect(await ofStatus('succeeded')).toEqual([ids[1]]);
  expect(await ofStatus('unfixable')).toEqual([ids[0]]);
  expect(await ofStatus('queued')).toEqual([]);
});

covers('listFixes', 'invalid_parameter', 'an unknown status and a limit out of range are named', async () => {
  for (const [name, value] of [
    ['status', 'done'],
    ['status', 'QUEUED'],
    ['limit', '0'],
    ['limit', '201'],
  ]) {
    const answer = await service.api('GET', `/fixes?${name}=${value}`);
    expect(answer.json).toMatchObject({ status: 422, errors: [{ location: 'query', name }] });
  }
});

covers('listFixes', 'invalid_cursor', 'a cursor of another status is refused', async () => {
  const { next_page: cursor } = pageOf(await service.api('GET', '/fixes?limit=1'));
  const answer = await service.api('GET', `/fixes?status=succeeded&cursor=${cursor}`);
  expect(answer.json).toMatchObject({ status: 400, code: 'invalid_cursor' });
});

covers('getFix', 200, 'a fix is what the list shows of it', async () => {
  const [newest] = await listAll(service.api, '/fixes');
  expect((await service.api('GET', `/fixes/${ids[0]}`)).json).toEqual(newest);
});

covers('getFix', 'not_found', 'an id that no fix has is 404', async () => {
  for (const id of ['unknown', ids[0]?.toUpperCase(), '%3Cscript%3E', '..%2f..']) {
    expect((await service.api('GET', `/fixes/${id}`)).json).toMatchObject({ status: 404, code: 'not_found' });
  }
});

covers('getFix', 'invalid_parameter', 'an id longer than any is 422', async () => {
  const answer = await service.api('GET', `/fixes/${'x'.repeat(65)}`);
  expect(answer.json).toMatchObject({ status: 422, errors: [{ location: 'path', name: 'fix_id' }] });
});
