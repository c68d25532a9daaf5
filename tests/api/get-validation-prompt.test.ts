import { afterAll, beforeAll, expect, test } from 'vitest';
import { covers } from '../support/covers.ts';
import {
  importPlainTemplate,
  osvRecord,
  plainTemplate,
  plainTemplatePatch,
  publishPlainTemplate,
  sealPlainTemplate,
} from '../support/plain-template.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
  await publishPlainTemplate(service.upstream);
  await importPlainTemplate(service.api);
  const elsewhere = osvRecord('CVE-2026-2000', 'other-template', { aliases: ['GHSA-5555-6666-7777'] });
  await service.api('POST', '/advisories/import', { body: elsewhere });
  await sealPlainTemplate(service.api);
});
afterAll(() => service[Symbol.asyncDispose]());

const asked = {
  ecosystem: 'NPM',
  package_name: plainTemplate.name,
  vulnerable_version: plainTemplate.vulnerable,
  vulnerability_identifier: plainTemplate.cve,
};

const ask = (change: object = {}, headers: Record<string, string> = {}) =>
  service.api('GET', `/patches/validation-prompt?${new URLSearchParams({ ...asked, ...change })}`, { headers });

covers('getValidationPrompt', 200, 'the prompt is plain text that holds the tuple and the whole diff', async () => {
  const answer = await ask();

  expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  for (const text of [...Object.values(asked), plainTemplate.sealed, plainTemplate.ghsa])
    expect(answer.text).toContain(text);
  expect(answer.text).toContain(plainTemplatePatch.slice(plainTemplatePatch.indexOf('diff --git')));
});

test('the ecosystem in any case and every alias give the same prompt, which does not change', async () => {
  const { text } = await ask();
  expect((await ask({ ecosystem: 'npm' })).text).toBe(text);
  expect((await ask({ vulnerability_identifier: plainTemplate.ghsa })).text).toBe(text);
  expect((await ask({ vulnerability_identifier: plainTemplate.cve.toLowerCase() })).text).toBe(text);
  expect((await ask({}, { accept: 'application/json' })).text).toBe(text);
});

covers(
  'getValidationPrompt',
  'library_version_not_found',
  'a version that nothing is on record about comes first',
  async () => {
    for (const change of [
      { vulnerable_version: '9.9.9' },
      { package_name: 'unknown' },
      { package_name: '../x' },
      { ecosystem: 'PyPI' },
      { vulnerable_version: plainTemplate.sealed },
      { vulnerable_version: '9.9.9', vulnerability_identifier: 'CVE-1999-0001' },
    ]) {
      const { json } = await ask(change);
      expect(json, JSON.stringify(change)).toMatchObject({ status: 404, code: 'library_version_not_found' });
      expect(json.detail).toMatch(/library version is missing/);
    }
  },
);

covers(
  'getValidationPrompt',
  'sealed_version_not_found',
  'a known version that is not sealed comes second',
  async () => {
    for (const change of [{}, { vulnerability_identifier: 'CVE-1999-0001' }]) {
      const { json } = await ask({ vulnerable_version: '1.0.0', ...change });
      expect(json).toMatchObject({ status: 404, code: 'sealed_version_not_found' });
      expect(json.detail).toMatch(/sealed version is missing/);
    }
  },
);

covers(
  'getValidationPrompt',
  'vulnerability_impact_not_found',
  'a vulnerability that does not match comes last',
  async () => {
    for (const vulnerability_identifier of ['CVE-1999-0001', 'CVE-2026-2000', 'GHSA-5555-6666-7777']) {
      const { json } = await ask({ vulnerability_identifier });
      expect(json).toMatchObject({ status: 404, code: 'vulnerability_impact_not_found' });
      expect(json.detail).toMatch(/vulnerability impact is missing/);
    }
  },
);

covers(
  'getValidationPrompt',
  'invalid_parameter',
  'each of the four is required and named, missing or empty',
  async () => {
    for (const name of Object.keys(asked)) {
      const others = Object.fromEntries(Object.entries(asked).filter(([key]) => key !== name));
      const missing = await service.api('GET', `/patches/validation-prompt?${new URLSearchParams(others)}`);
      expect(missing.json).toMatchObject({
        status: 422,
        errors: [{ location: 'query', name, message: 'is required' }],
      });
      expect((await ask({ [name]: '' })).json).toMatchObject({ status: 422, errors: [{ location: 'query', name }] });
    }
    const none = await service.api('GET', '/patches/validation-prompt');
    expect(none.json).toMatchObject({ errors: Object.keys(asked).map((name) => ({ name })) });
    expect((await ask({ ecosystem: 'cargo' })).json.detail).toContain('NPM, PyPI, Maven, RPM, DEB, APK');
  },
);
