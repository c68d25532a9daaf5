import { expect, test } from 'vitest';
import { describeOnEveryDatabase } from '../../../../tests/support/databases.ts';
import { findAdvisoriesByIdentifier } from './advisory-store.ts';
import { findVulnerabilities } from './find-vulnerabilities.ts';
import { advisoryOf } from './testing/osv-records.ts';
import { createScene } from './testing/scene.ts';

function npm(packageName: string, packageVersion: string) {
  return { ecosystem: 'npm' as const, packageName, packageVersion };
}

describeOnEveryDatabase('finding vulnerabilities', (open) => {
  test('records that share an alias are one vulnerability; the worst comes first, then by identifier', async () => {
    await using database = await open();
    const { acme, importAll } = await createScene(database);
    await importAll(acme, [
      advisoryOf({ id: 'GHSA-low', severity: 'LOW', packages: ['ejs@3.0.0'], aliases: ['CVE-2026-3'] }),
      advisoryOf({ id: 'GHSA-b', severity: 'CRITICAL', packages: ['ejs@3.0.0'], aliases: ['CVE-2026-2'] }),
      advisoryOf({ id: 'SNYK-b', severity: 'HIGH', packages: ['ejs@3.0.0'], aliases: ['CVE-2026-2'] }),
      advisoryOf({ id: 'GHSA-a', severity: 'CRITICAL', packages: ['ejs@3.0.0'], aliases: ['CVE-2026-1'] }),
      advisoryOf({ id: 'GHSA-old', severity: 'CRITICAL', packages: ['ejs@1.0.0'] }),
    ]);

    const [found, none] = await findVulnerabilities(database.db, acme, [npm('ejs', '2.7.4'), npm('ejs', '3.0.0')]);

    expect(found?.map(({ identifier, severity }) => `${identifier} ${severity}`)).toEqual([
      'CVE-2026-1 critical',
      'CVE-2026-2 critical',
      'CVE-2026-3 low',
    ]);
    expect(found?.[1]?.advisories.map(({ id }) => id)).toEqual(['GHSA-b', 'SNYK-b']);
    expect(found?.[1]?.aliases).toEqual(['GHSA-b', 'SNYK-b']);
    expect(none).toEqual([]);
  });

  test("a tenant sees the shared advisories and its own, never another tenant's", async () => {
    await using database = await open();
    const { acme, lookAlike, everybody, importAll } = await createScene(database);
    await importAll(everybody, [advisoryOf({ id: 'CVE-2026-1', packages: ['ejs'] })]);
    await importAll(acme, [advisoryOf({ id: 'CVE-2026-2', packages: ['ejs'] })]);

    const idsSeenBy = async (scope: typeof acme) => {
      const [found] = await findVulnerabilities(database.db, scope, [npm('ejs', '1.0.0')]);
      return found?.map(({ identifier }) => identifier);
    };
    expect(await idsSeenBy(acme)).toEqual(['CVE-2026-1', 'CVE-2026-2']);
    expect(await idsSeenBy(lookAlike)).toEqual(['CVE-2026-1']);
  });

  test("a tenant's own record hides the shared one of its id, also when it is withdrawn or names other packages", async () => {
    await using database = await open();
    const { acme, lookAlike, everybody, importAll } = await createScene(database);
    const shared = ['CVE-2026-1', 'CVE-2026-2', 'CVE-2026-3'].map((id) => advisoryOf({ id, packages: ['ejs'] }));
    await importAll(everybody, shared);
    const modified = '2026-02-01T00:00:00Z';
    await importAll(acme, [
      advisoryOf({ id: 'CVE-2026-1', modified, packages: ['ejs'], withdrawn: modified }),
      advisoryOf({ id: 'CVE-2026-2', modified, packages: ['lodash'] }),
      advisoryOf({ id: 'CVE-2026-3', modified, packages: ['ejs@2.0.0'] }),
    ]);

    const targets = [npm('ejs', '1.0.0'), npm('ejs', '2.0.0')];
    const [own, ownLater] = await findVulnerabilities(database.db, acme, targets);
    const [, others] = await findVulnerabilities(database.db, lookAlike, targets);
    expect(own?.map(({ identifier }) => identifier)).toEqual(['CVE-2026-3']);
    expect(ownLater).toEqual([]);
    expect(others).toHaveLength(3);
  });

  test('more names than one query takes are all looked up, in order', async () => {
    await using database = await open();
    const { acme, importAll } = await createScene(database);
    const names = Array.from({ length: 1_201 }, (_, index) => `package-${index}`);
    await importAll(
      acme,
      names.map((name, index) => advisoryOf({ id: `CVE-2026-${index}`, packages: [name] })),
    );

    const found = await findVulnerabilities(
      database.db,
      acme,
      names.map((name) => npm(name, '1.0.0')),
    );

    expect(found.map(([first]) => first?.identifier)).toEqual(names.map((_, index) => `CVE-2026-${index}`));
  });

  test('where versions have no order, an advisory concerns exactly the versions that it lists', async () => {
    await using database = await open();
    const { acme, importAll } = await createScene(database);
    await importAll(acme, [
      advisoryOf({ id: 'PYSEC-1', ecosystem: 'PyPI', packages: ['jinja2'], versions: ['2.0'] }),
      advisoryOf({ id: 'PYSEC-2', ecosystem: 'PyPI', packages: ['jinja2@3.0'] }),
    ]);

    const jinja = (packageVersion: string) => ({ ecosystem: 'pypi' as const, packageName: 'jinja2', packageVersion });
    const [listed, unlisted] = await findVulnerabilities(database.db, acme, [jinja('2.0'), jinja('2.1')]);
    expect(listed?.map(({ identifier }) => identifier)).toEqual(['PYSEC-1']);
    expect(unlisted).toEqual([]);
  });

  test('every alias finds the records of a vulnerability, also those joined through another record', async () => {
    await using database = await open();
    const { acme, lookAlike, importAll } = await createScene(database);
    await importAll(acme, [
      advisoryOf({ id: 'GHSA-a', aliases: ['CVE-2026-1'] }),
      advisoryOf({ id: 'SNYK-a', aliases: ['GHSA-a'] }),
      advisoryOf({ id: 'CVE-2026-1', withdrawn: '2026-01-01T00:00:00Z' }),
      advisoryOf({ id: 'CVE-2026-2' }),
    ]);

    const idsBy = async (identifier: string, scope = acme) =>
      (await findAdvisoriesByIdentifier(database.db, scope, identifier)).map(({ id }) => id);
    expect(await idsBy('cve-2026-1')).toEqual(['GHSA-a', 'SNYK-a']);
    expect(await idsBy('snyk-A')).toEqual(['GHSA-a', 'SNYK-a']);
    expect(await idsBy('CVE-2026-9')).toEqual([]);
    expect(await idsBy('cve-2026-1', lookAlike)).toEqual([]);
  });
});
