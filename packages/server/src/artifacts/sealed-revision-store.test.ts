import { expect, test } from 'vitest';
import { describeOnEveryDatabase } from '../../../../tests/support/databases.ts';
import type { Db } from '../database/database.ts';
import { type TenantScope, tenantScope } from '../platform/tenancy.ts';
import { publishSealedPackage } from './sealed-package-store.ts';
import { prepareSealedRevision } from './sealed-revision-store.ts';

const ours = tenantScope(1);
const theirs = tenantScope(2);
const ejs = { ecosystem: 'npm', packageName: 'ejs' } as const;

function publish(db: Db, scope: TenantScope, iteration: number, packageName = 'ejs'): Promise<void> {
  return publishSealedPackage(db, scope, {
    ecosystem: 'npm',
    packageName,
    originVersion: '2.7.4',
    iteration,
    sealedVersion: `2.7.4-sp${iteration}`,
    fixId: 'fix',
    fileName: `${packageName}-2.7.4-sp${iteration}.tgz`,
    sha256: '00',
    shasum: '00',
    integrity: 'sha512-',
    sizeBytes: 1,
    closedIdentifiers: [],
    publishedOn: '2026-11-21T10:00:00.000Z',
    manifest: {},
    patches: [],
  });
}

describeOnEveryDatabase('the revision of a package', (open) => {
  test('differs after every publication of the tenant, even within one millisecond, and after no other', async () => {
    await using database = await open();
    const revisionOf = prepareSealedRevision(database.db);
    expect(await revisionOf(ours, ejs)).toBeNull();
    await publish(database.db, theirs, 1);
    await publish(database.db, ours, 1, 'other');
    expect(await revisionOf(ours, ejs)).toBeNull();
    await publish(database.db, ours, 1);
    const first = await revisionOf(ours, ejs);
    await publish(database.db, theirs, 2);
    expect(await revisionOf(ours, ejs)).toBe(first);
    await publish(database.db, ours, 2);
    expect(await revisionOf(ours, ejs)).not.toBe(first);
    expect(await revisionOf(ours, ejs)).not.toBe(await revisionOf(theirs, ejs));
  });
});
