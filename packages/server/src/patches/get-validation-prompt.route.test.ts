import { expect, test } from 'vitest';
import { describeOnEveryDatabase } from '../../../../tests/support/databases.ts';
import type { PublishedSeal } from '../fixes/build-plan.ts';
import { callRoute, failureOf } from '../fixes/testing/call-route.ts';
import {
  acme,
  createTestClock,
  otherVulnerability,
  templateAdvisory,
  templatePatch,
  templatePatchSet,
  templateVersion,
  templateVulnerability,
  vulnerabilitiesOfTemplate,
} from '../fixes/testing/catalog.ts';
import { getValidationPromptRoute, type ValidationPromptDeps } from './get-validation-prompt.route.ts';
import { savePatchSet } from './patch-set-store.ts';

const query = {
  ecosystem: 'npm',
  package_name: 'plain-template',
  vulnerable_version: '1.4.2',
  vulnerability_identifier: 'CVE-2026-1000',
};

describeOnEveryDatabase('GET /patches/validation-prompt', (open) => {
  async function start(overrides: Partial<ValidationPromptDeps> = {}) {
    const database = await open();
    const deps: ValidationPromptDeps = {
      db: database.db,
      findVulnerabilities: vulnerabilitiesOfTemplate(templateVulnerability, otherVulnerability),
      findAdvisoriesByIdentifier: async () => [],
      listSealedWithContent: async (_db, { tenantId }) =>
        tenantId === 1 ? [sealOf(2, templatePatch), sealOf(1, 'old')] : [],
      findBuildReport: async () => null,
      ...overrides,
    };
    const route = getValidationPromptRoute(deps);
    return {
      database,
      get: (changes: Record<string, string> = {}, tenantId = 1) =>
        callRoute(route, { query: { ...query, ...changes }, tenantId }),
      [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
    };
  }

  test('answers with the diff of the newest sealed version as text', async () => {
    await using service = await start();
    const { status, text } = await service.get();
    expect(status).toBe(200);
    expect(text).toContain('1.4.2-sp2');
    expect(text).toContain(templatePatch);
  });

  test('any alias in any case, and the ecosystem in any case, find the same prompt', async () => {
    await using service = await start();
    const { text } = await service.get();
    expect((await service.get({ vulnerability_identifier: 'ghsa-2222-3333-4444', ecosystem: 'NPM' })).text).toBe(text);
    expect((await service.get({ vulnerability_identifier: 'cve-2026-1000', ecosystem: 'nPm' })).text).toBe(text);
  });

  test('a version that nothing is on record about is missing, however much else is', async () => {
    await using service = await start({ findVulnerabilities: vulnerabilitiesOfTemplate() });
    const failure = await failureOf(service.get({ vulnerable_version: '7.7.7' }));
    expect(failure.code).toBe('library_version_not_found');
    expect(failure.detail).toMatch(/^The library version is missing/);
  });

  test.each([
    ['a sealed version', { vulnerable_version: '1.4.2-sp1' }],
    ['a name that its ecosystem does not allow', { package_name: 'a/b/c' }],
  ])('%s is no library version', async (_name, changes) => {
    await using service = await start();
    expect(await failureOf(service.get(changes))).toMatchObject({ code: 'library_version_not_found' });
  });

  test('a version that only the catalog knows is known, and its sealed version missing', async () => {
    await using service = await start({
      findVulnerabilities: vulnerabilitiesOfTemplate(),
      listSealedWithContent: async () => [],
    });
    expect(await failureOf(service.get())).toMatchObject({ code: 'library_version_not_found' });
    await savePatchSet(service.database.db, acme, createTestClock(), templatePatchSet);

    const failure = await failureOf(service.get());
    expect(failure.code).toBe('sealed_version_not_found');
    expect(failure.detail).toMatch(/^The sealed version is missing/);
    expect(await failureOf(service.get({}, 2))).toMatchObject({ code: 'library_version_not_found' });
  });

  test('the sealed version of another origin or of another tenant is missing', async () => {
    await using service = await start();
    expect(await failureOf(service.get({ vulnerable_version: '1.4.1' }))).toMatchObject({
      code: 'sealed_version_not_found',
    });
    expect(await failureOf(service.get({}, 2))).toMatchObject({ code: 'sealed_version_not_found' });
  });

  test.each([
    ['the sealed version leaves it open', 'CVE-2026-2000', 'is not among those that 1.4.2-sp2 closes'],
    ['nobody says that it concerns the version', 'CVE-1999-1', 'is not known to concern this version'],
  ])('an impact is missing when %s', async (_name, identifier, problem) => {
    await using service = await start();
    const failure = await failureOf(service.get({ vulnerability_identifier: identifier }));
    expect(failure.code).toBe('vulnerability_impact_not_found');
    expect(failure.detail).toMatch(/^The matching vulnerability impact is missing/);
    expect(failure.detail).toContain(problem);
  });

  test('what the patch names and no advisory speaks of has a prompt that says so', async () => {
    await using service = await start({ findVulnerabilities: vulnerabilitiesOfTemplate() });
    await savePatchSet(service.database.db, acme, createTestClock(), templatePatchSet);
    const { text } = await service.get({ vulnerability_identifier: 'ghsa-2222-3333-4444' });
    expect(text).toContain('Vulnerability: "GHSA-2222-3333-4444"');
    expect(text).toContain('No advisory is on record');
  });

  test('what the patch names but by its advisory concerns other versions is no impact', async () => {
    await using service = await start({
      findVulnerabilities: vulnerabilitiesOfTemplate(),
      findAdvisoriesByIdentifier: async () => [templateAdvisory],
    });
    await savePatchSet(service.database.db, acme, createTestClock(), templatePatchSet);
    expect(await failureOf(service.get())).toMatchObject({ code: 'vulnerability_impact_not_found' });
  });

  test('the contract order decides which of several is named', async () => {
    await using service = await start({ listSealedWithContent: async () => [] });
    const both = await failureOf(service.get({ vulnerability_identifier: 'CVE-1999-1' }));
    expect(both.code).toBe('sealed_version_not_found');
  });

  test.each(Object.keys(query))('%s must not be empty', async (name) => {
    await using service = await start();
    const failure = await failureOf(service.get({ [name]: '' }));
    expect(failure.code).toBe('invalid_parameter');
    expect(failure.problems.map((problem) => problem.name)).toContain(name);
  });
});

function sealOf(iteration: number, text: string): PublishedSeal {
  return {
    ...templateVersion,
    iteration,
    sealedVersion: `1.4.2-sp${iteration}`,
    fixId: 'f',
    fileName: `plain-template-1.4.2-sp${iteration}.tgz`,
    sha256: '00',
    shasum: '00',
    integrity: 'sha512-sealed',
    sizeBytes: 512,
    closedIdentifiers: ['CVE-2026-1000', 'GHSA-2222-3333-4444'],
    publishedOn: '2026-11-21T12:00:00.000Z',
    manifest: {},
    patches: [{ fileName: '0001-CVE-2026-1000.patch', text, identifiers: ['GHSA-2222-3333-4444'] }],
  };
}
