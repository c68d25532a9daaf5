import { fixSchema } from '@sealsmith/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
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

beforeAll(async () => {
  service = await startTestService();
  await publishPlainTemplate(service.upstream);
});
afterAll(() => service[Symbol.asyncDispose]());

/** A tenant that knows the vulnerability and the patch. */
async function preparedTenant(name: string) {
  const tenant = await service.createTenant(name);
  await importPlainTemplate(tenant.api);
  return tenant;
}

covers('generateFix', 202, 'the fix is queued, and the Location leads to it', async () => {
  const { api } = await preparedTenant('queued');

  const answer = await api('POST', '/generate-fix', {
    body: { ...plainTemplateFix, ecosystem: 'npm', vulnerability_identifiers: [plainTemplate.cve] },
  });

  expect(answer.status).toBe(202);
  expect(answer.json).toMatchObject({
    ...plainTemplateFix,
    ecosystem: 'NPM',
    vulnerability_identifiers: [plainTemplate.cve],
    status: 'queued',
    reason: null,
    sealed_package_version: null,
    vulnerabilities: [],
  });
  const { id } = fixSchema.parse(answer.json);
  expect(answer.headers.get('location')).toBe(`/authenticated/api/v1/fixes/${id}`);
  expect(await fixWhenEnded(api, id)).toMatchObject({
    status: 'succeeded',
    sealed_package_name: plainTemplate.name,
    sealed_package_version: plainTemplate.sealed,
    vulnerabilities: [plainTemplate.cve],
  });
});

covers('generateFix', 200, 'while a fix is under way, asking again gives that fix', async () => {
  const { api } = await preparedTenant('under-way');
  const release = service.upstream.hold();
  const asked = [1, 2, 3].map(() => api('POST', '/generate-fix', { body: plainTemplateFix }));
  release();
  const answers = await Promise.all(asked);

  expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 202]);
  expect(new Set(answers.map(({ json }) => json.id)).size).toBe(1);
  await fixWhenEnded(api, String(answers[0]?.json.id));
});

covers(
  'generateFix',
  200,
  'when the newest sealed version closes everything asked, it is the fix behind it',
  async () => {
    const { api } = await preparedTenant('closed');
    const fix = await sealPlainTemplate(api);

    const everything = await api('POST', '/generate-fix', { body: plainTemplateFix });
    const byAlias = { ...plainTemplateFix, vulnerability_identifiers: [plainTemplate.ghsa.toLowerCase()] };
    const sealedItself = { ...plainTemplateFix, vulnerable_version: plainTemplate.sealed };

    expect(everything.status).toBe(200);
    expect(everything.json).toEqual(fix);
    expect((await api('POST', '/generate-fix', { body: byAlias })).json).toEqual(fix);
    expect((await api('POST', '/generate-fix', { body: sealedItself })).json).toEqual(fix);
  },
);

covers('generateFix', 'package_version_not_found', 'a version that upstream does not have is 404', async () => {
  const { api } = await preparedTenant('unknown-version');
  for (const change of [{ vulnerable_version: '1.4.3' }, { package_name: 'plain-templates' }]) {
    const answer = await api('POST', '/generate-fix', { body: { ...plainTemplateFix, ...change } });
    expect(answer.json).toMatchObject({ status: 404, code: 'package_version_not_found' });
  }
});

covers('generateFix', 'not_vulnerable', 'a version that nothing is known to be wrong with is 422', async () => {
  const { api } = await preparedTenant('not-vulnerable');

  const clean = await api('POST', '/generate-fix', { body: { ...plainTemplateFix, vulnerable_version: '2.0.0' } });
  const foreign = await api('POST', '/generate-fix', {
    body: { ...plainTemplateFix, vulnerability_identifiers: ['CVE-2026-9999'] },
  });

  expect(clean.json).toMatchObject({ status: 422, code: 'not_vulnerable' });
  expect(foreign.json).toMatchObject({
    code: 'not_vulnerable',
    errors: [{ location: 'body', name: 'vulnerability_identifiers' }],
  });
  expect(foreign.json.detail).toContain('CVE-2026-9999');
});

covers('generateFix', 'upstream_unavailable', 'an upstream that fails is 503, and nothing is queued', async () => {
  const { api } = await preparedTenant('upstream-down');
  service.upstream.goDown();
  try {
    const answer = await api('POST', '/generate-fix', { body: plainTemplateFix });
    expect(answer.json).toMatchObject({ status: 503, code: 'upstream_unavailable' });
  } finally {
    service.upstream.comeBack();
  }
  expect((await api('GET', '/fixes')).json).toEqual({ items: [], next_page: null });
});

covers('generateFix', 'invalid_parameter', 'a missing, malformed or unknown field is 422 naming it', async () => {
  const { api } = service;
  const { ecosystem: _, ...withoutEcosystem } = plainTemplateFix;
  const wrong: [string, object][] = [
    ['ecosystem', withoutEcosystem],
    ['ecosystem', { ...plainTemplateFix, ecosystem: 'Cargo' }],
    ['package_name', { ...plainTemplateFix, package_name: '' }],
    ['package_name', { ...plainTemplateFix, package_name: '../plain-template' }],
    ['package_name', { ...plainTemplateFix, package_name: 'plain\u0000template' }],
    ['vulnerable_version', { ...plainTemplateFix, vulnerable_version: 'v'.repeat(513) }],
    ['vulnerable_version', { ...plainTemplateFix, vulnerable_version: 'one' }],
    ['vulnerability_identifiers.0', { ...plainTemplateFix, vulnerability_identifiers: [''] }],
  ];
  for (const [name, body] of wrong) {
    const answer = await api('POST', '/generate-fix', { body });
    expect(answer.json, JSON.stringify(body)).toMatchObject({ status: 422, errors: [{ location: 'body', name }] });
  }
  const unknown = await api('POST', '/generate-fix', {
    body: { ...plainTemplateFix, vulnerability_identifier: 'CVE-1' },
  });
  expect(unknown.json.detail).toContain('vulnerability_identifier');
});

test('a vulnerability without a patch in the catalog ends as unfixable, with the reason', async () => {
  const tenant = await service.createTenant('without-patch');
  await importPlainTemplate(tenant.api, { hasPatch: false });

  const fix = await sealPlainTemplate(tenant.api);

  expect(fix).toMatchObject({ status: 'unfixable', sealed_package_version: null, vulnerabilities: [] });
  expect(fix.reason).toMatch(/patch/i);
});
