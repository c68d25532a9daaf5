import { expect, test } from 'vitest';
import { describeOnEveryDatabase } from '../../../../tests/support/databases.ts';
import type { Database } from '../database/database.ts';
import { sharedTenantId } from '../database/schema.ts';
import { createFix } from '../fixes/fix-store.ts';
import { acme, createTestClock, lookAlike, templatePatchSet, templateVersion } from '../fixes/testing/catalog.ts';
import { type TenantScope, tenantScope } from '../platform/tenancy.ts';
import { hasMetVersion } from './library-version-store.ts';
import { savePatchSet } from './patch-set-store.ts';

const clock = createTestClock();

const meetings: [string, (database: Database, scope: TenantScope) => Promise<unknown>][] = [
  ['the catalog has patches for', ({ db }, scope) => savePatchSet(db, scope, clock, templatePatchSet)],
  [
    'a fix was asked for of',
    ({ db }, scope) => createFix(db, scope, clock, { ...templateVersion, requestedIdentifiers: [] }),
  ],
  [
    'a scan saw',
    ({ db }, { tenantId }) =>
      db
        .insertInto('components')
        .values({
          tenant_id: tenantId,
          project_name: 'storefront',
          role: 'production',
          source: 'packages',
          ecosystem: 'npm',
          package_name: 'plain-template',
          origin_version: '1.4.2',
          iteration: 0,
        })
        .execute(),
  ],
  [
    'a sealed version is published of',
    ({ db }, { tenantId }) =>
      db
        .insertInto('sealed_packages')
        .values({
          tenant_id: tenantId,
          ecosystem: 'npm',
          package_name: 'plain-template',
          origin_version: '1.4.2',
          iteration: 1,
          sealed_version: '1.4.2-sp1',
          fix_id: 'f',
          file_name: 'plain-template-1.4.2-sp1.tgz',
          sha256: '00',
          shasum: '00',
          integrity: 'sha512-00',
          size_bytes: 1,
          manifest: '{}',
          closed_identifiers: '[]',
          patches: '[]',
          published_on: '2026-11-21T12:00:00.000Z',
        })
        .execute(),
  ],
];

describeOnEveryDatabase('a library version', (open) => {
  test.each(meetings)('that %s is met, by this tenant alone and in this version alone', async (_name, meet) => {
    await using database = await open();
    await meet(database, lookAlike);
    expect(await hasMetVersion(database.db, acme, templateVersion)).toBe(false);

    await meet(database, acme);
    expect(await hasMetVersion(database.db, acme, templateVersion)).toBe(true);
    expect(await hasMetVersion(database.db, acme, { ...templateVersion, originVersion: '1.4.1' })).toBe(false);
    expect(await hasMetVersion(database.db, acme, { ...templateVersion, ecosystem: 'pypi' })).toBe(false);
  });

  test('that the shared catalog has patches for is met by everybody', async () => {
    await using database = await open();
    await savePatchSet(database.db, tenantScope(sharedTenantId), clock, templatePatchSet);
    expect(await hasMetVersion(database.db, lookAlike, templateVersion)).toBe(true);
  });
});
