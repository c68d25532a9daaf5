import { expect, test } from 'vitest';
import { describeOnEveryDatabase } from '../../../../tests/support/databases.ts';
import { sharedTenantId } from '../database/schema.ts';
import { acme, createTestClock, lookAlike, templatePatchSet, templateVersion } from '../fixes/testing/catalog.ts';
import { tenantScope } from '../platform/tenancy.ts';
import type { PatchSet } from './patch-set.ts';
import { findBestPatchSet, listPatchFacts, savePatchSet } from './patch-set-store.ts';

const shared = tenantScope(sharedTenantId);
const clock = createTestClock();

/** A set whose one patch is told by its text. */
function set(text: string, changes: Partial<PatchSet> = {}): PatchSet {
  const patches = [{ fileName: '0001-X.patch', sequence: 1, text, identifiers: [`CVE-2026-${text}`] }];
  return { ...templatePatchSet, patches, ...changes };
}

describeOnEveryDatabase('the patch catalog', (open) => {
  test('saving the same set again changes nothing, and another one replaces it', async () => {
    await using database = await open();
    expect(await savePatchSet(database.db, acme, clock, set('1000'))).toBe(true);
    expect(await savePatchSet(database.db, acme, clock, set('1000'))).toBe(false);
    expect(await savePatchSet(database.db, acme, clock, set('1001'))).toBe(true);
    expect(await savePatchSet(database.db, acme, clock, set('1001', { readme: '# Why' }))).toBe(true);

    const best = await findBestPatchSet(database.db, acme, templateVersion);
    expect(best?.patches.map(({ text }) => text)).toEqual(['1001']);
  });

  test('any text can be saved', async () => {
    await using database = await open();
    const odd = 'a\0b\ud800c\r\n\ufeff';
    await savePatchSet(database.db, acme, clock, set(odd, { readme: odd }));
    const best = await findBestPatchSet(database.db, acme, templateVersion);
    expect(best?.patches[0]?.text).toBe(odd);
  });

  test('the highest iteration is the best, by number', async () => {
    await using database = await open();
    for (const iteration of [9, 10, 2]) {
      await savePatchSet(database.db, acme, clock, set(`${iteration}000`, { iteration }));
    }
    expect(await findBestPatchSet(database.db, acme, templateVersion)).toMatchObject({
      ...templateVersion,
      iteration: 10,
    });
    expect(await listPatchFacts(database.db, acme, [templateVersion])).toEqual([
      { ...templateVersion, iteration: 10, identifiers: ['CVE-2026-10000'], importedOn: '2026-11-21T12:00:00.000Z' },
    ]);
  });

  test('the own set wins over the shared one of the same iteration, and a higher shared one over the own', async () => {
    await using database = await open();
    await savePatchSet(database.db, shared, clock, set('1000'));
    await savePatchSet(database.db, acme, clock, set('2000'));
    const textSeenBy = async (scope: typeof acme) =>
      (await findBestPatchSet(database.db, scope, templateVersion))?.patches[0]?.text;

    expect(await textSeenBy(acme)).toBe('2000');
    expect(await textSeenBy(lookAlike)).toBe('1000');
    expect(await listPatchFacts(database.db, acme, [templateVersion])).toMatchObject([
      { identifiers: ['CVE-2026-2000'] },
    ]);

    await savePatchSet(database.db, shared, clock, set('3000', { iteration: 2 }));
    expect(await textSeenBy(acme)).toBe('3000');
  });

  test("a tenant's own patches are seen by nobody else", async () => {
    await using database = await open();
    await savePatchSet(database.db, lookAlike, clock, set('1000'));
    expect(await findBestPatchSet(database.db, acme, templateVersion)).toBeNull();
    expect(await listPatchFacts(database.db, acme, [templateVersion])).toEqual([]);
    expect(await findBestPatchSet(database.db, lookAlike, templateVersion)).not.toBeNull();
  });

  test('facts are about exactly the packages asked for, each version once', async () => {
    await using database = await open();
    await savePatchSet(database.db, acme, clock, set('1000'));
    await savePatchSet(database.db, shared, clock, set('1000', { version: '1.5.0' }));
    await savePatchSet(database.db, acme, clock, set('1000', { name: 'other' }));
    await savePatchSet(database.db, acme, clock, set('1000', { ecosystem: 'pypi' }));

    const many = Array.from({ length: 600 }, (_, index) => ({ ecosystem: 'npm', packageName: `p${index}` }) as const);
    const facts = await listPatchFacts(database.db, acme, [...many, templateVersion, templateVersion]);
    expect(facts.map(({ ecosystem, packageName, originVersion }) => [ecosystem, packageName, originVersion])).toEqual([
      ['npm', 'plain-template', '1.4.2'],
      ['npm', 'plain-template', '1.5.0'],
    ]);
  });
});
