import type { EcosystemId } from '@sealsmith/ecosystems';
import type { Selectable } from 'kysely';
import type { Db } from '../database/database.ts';
import type { SealedPackagesTable } from '../database/schema.ts';
import type { TenantScope } from '../platform/tenancy.ts';
import type { PackageName, SealedPackage, SealedPackageContent } from './sealed-package.ts';

const namesPerQuery = 500;

const facts = [
  'ecosystem',
  'package_name',
  'origin_version',
  'iteration',
  'sealed_version',
  'fix_id',
  'file_name',
  'sha256',
  'shasum',
  'integrity',
  'size_bytes',
  'closed_identifiers',
  'published_on',
] as const;

type FactsRow = Pick<Selectable<SealedPackagesTable>, (typeof facts)[number]>;

/** Publishes a version whose blob is stored already. A version is published once: its bytes never change. */
export async function publishSealedPackage(
  transaction: Db,
  { tenantId }: TenantScope,
  sealed: SealedPackage & SealedPackageContent,
): Promise<void> {
  await transaction
    .insertInto('sealed_packages')
    .values({
      tenant_id: tenantId,
      ecosystem: sealed.ecosystem,
      package_name: sealed.packageName,
      origin_version: sealed.originVersion,
      iteration: sealed.iteration,
      sealed_version: sealed.sealedVersion,
      fix_id: sealed.fixId,
      file_name: sealed.fileName,
      sha256: sealed.sha256,
      shasum: sealed.shasum,
      integrity: sealed.integrity,
      size_bytes: sealed.sizeBytes,
      manifest: JSON.stringify(sealed.manifest),
      closed_identifiers: JSON.stringify(sealed.closedIdentifiers),
      patches: JSON.stringify(sealed.patches),
      published_on: sealed.publishedOn,
    })
    .execute();
}

/** Every sealed version of these packages, ascending by iteration within an origin version. */
export async function listSealedPackages(
  db: Db,
  { tenantId }: TenantScope,
  names: readonly PackageName[],
): Promise<SealedPackage[]> {
  const found: SealedPackage[] = [];
  for (const [ecosystem, group] of Map.groupBy(names, (name) => name.ecosystem)) {
    const packageNames = [...new Set(group.map(({ packageName }) => packageName))];
    for (let start = 0; start < packageNames.length; start += namesPerQuery) {
      const rows = await db
        .selectFrom('sealed_packages')
        .select(facts)
        .where('tenant_id', '=', tenantId)
        .where('ecosystem', '=', ecosystem)
        .where('package_name', 'in', packageNames.slice(start, start + namesPerQuery))
        .orderBy('package_name')
        .orderBy('origin_version')
        .orderBy('iteration')
        .execute();
      found.push(...rows.map(fromRow));
    }
  }
  return found;
}

/** The sealed packages whose artifact has one of these digests, by digest. */
export async function findSealedByIntegrity(
  db: Db,
  { tenantId }: TenantScope,
  integrities: readonly string[],
): Promise<Map<string, SealedPackage>> {
  const found = new Map<string, SealedPackage>();
  for (let start = 0; start < integrities.length; start += namesPerQuery) {
    const rows = await db
      .selectFrom('sealed_packages')
      .select(facts)
      .where('tenant_id', '=', tenantId)
      .where('integrity', 'in', integrities.slice(start, start + namesPerQuery))
      .execute();
    for (const row of rows) found.set(row.integrity, fromRow(row));
  }
  return found;
}

/** The file of a package by its name; null when the tenant has none. */
export async function findSealedFile(
  db: Db,
  { tenantId }: TenantScope,
  { ecosystem, packageName, fileName }: PackageName & { fileName: string },
): Promise<SealedPackage | null> {
  const row = await db
    .selectFrom('sealed_packages')
    .select(facts)
    .where('tenant_id', '=', tenantId)
    .where('ecosystem', '=', ecosystem)
    .where('package_name', '=', packageName)
    .where('file_name', '=', fileName)
    .executeTakeFirst();
  return row ? fromRow(row) : null;
}

/** Every sealed version of one package with what its repository serves. */
export async function listSealedWithContent(
  db: Db,
  { tenantId }: TenantScope,
  { ecosystem, packageName }: PackageName,
): Promise<(SealedPackage & SealedPackageContent)[]> {
  const rows = await db
    .selectFrom('sealed_packages')
    .select([...facts, 'manifest', 'patches'])
    .where('tenant_id', '=', tenantId)
    .where('ecosystem', '=', ecosystem)
    .where('package_name', '=', packageName)
    .orderBy('origin_version')
    .orderBy('iteration')
    .execute();
  return rows.map((row) => ({ ...fromRow(row), manifest: JSON.parse(row.manifest), patches: JSON.parse(row.patches) }));
}

function fromRow(row: FactsRow): SealedPackage {
  return {
    ecosystem: row.ecosystem as EcosystemId,
    packageName: row.package_name,
    originVersion: row.origin_version,
    iteration: row.iteration,
    sealedVersion: row.sealed_version,
    fixId: row.fix_id,
    fileName: row.file_name,
    sha256: row.sha256,
    shasum: row.shasum,
    integrity: row.integrity,
    sizeBytes: row.size_bytes,
    closedIdentifiers: JSON.parse(row.closed_identifiers),
    publishedOn: row.published_on,
  };
}
