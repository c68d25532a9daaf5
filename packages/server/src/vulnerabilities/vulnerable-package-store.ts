import type { FixAvailability, TokenRole } from '@sealsmith/contract';
import type { EcosystemId } from '@sealsmith/ecosystems';
import { sql } from 'kysely';
import { chunksOf } from '../database/chunks.ts';
import type { Database, Db } from '../database/database.ts';
import { foldText } from '../platform/fold-text.ts';
import type { TenantScope } from '../platform/tenancy.ts';
import type { PackageFilter } from './component-store.ts';
import type { VulnerablePackageKey, VulnerablePackageRow } from './vulnerable-package.ts';

const rowsPerStatement = 500;

const columns = [
  'id',
  'project_name',
  'role',
  'ecosystem',
  'package_name',
  'package_version',
  'fix_availability',
  'sealed_version',
  'vulnerabilities',
  'is_hidden',
  'first_seen_on',
  'last_seen_on',
] as const;

export interface VulnerablePackageFilters {
  /** Substrings without regard to case; null: without restriction. */
  packageNameContains: string | null;
  projectNameContains: string | null;
  ecosystem: EcosystemId | null;
  fixAvailability: FixAvailability | null;
  isHidden: boolean;
  role: TokenRole;
}

/** A page by ascending id, those after `after` (exclusive). */
export async function listVulnerablePackages(
  { db, capabilities }: Pick<Database, 'db' | 'capabilities'>,
  { tenantId }: TenantScope,
  filters: VulnerablePackageFilters,
  { after, limit }: { after: number; limit: number },
): Promise<VulnerablePackageRow[]> {
  let query = db
    .selectFrom('vulnerable_packages')
    .select(columns)
    .where('tenant_id', '=', tenantId)
    .where('id', '>', after)
    .where('is_hidden', '=', filters.isHidden ? 1 : 0)
    .where('role', '=', filters.role);
  if (filters.ecosystem !== null) query = query.where('ecosystem', '=', filters.ecosystem);
  if (filters.fixAvailability !== null) query = query.where('fix_availability', '=', filters.fixAvailability);
  const texts = { package_folded: filters.packageNameContains, project_folded: filters.projectNameContains };
  for (const [column, text] of Object.entries(texts)) {
    // Every name contains the empty text.
    if (text) query = query.where(capabilities.contains(sql.ref(column), foldText(text)));
  }
  return query.orderBy('id').limit(limit).execute();
}

/** What is recorded of the packages, projects and roles that the filter leaves. */
export async function listRecorded(
  db: Db,
  { tenantId }: TenantScope,
  { packages, projectName, role }: PackageFilter,
): Promise<VulnerablePackageRow[]> {
  let query = db.selectFrom('vulnerable_packages').select(columns).where('tenant_id', '=', tenantId);
  if (projectName !== null) query = query.where('project_name', '=', projectName);
  if (role !== null) query = query.where('role', '=', role);
  if (packages === null) return query.orderBy('id').execute();
  const found: VulnerablePackageRow[][] = [];
  for (const [ecosystem, group] of Map.groupBy(packages, (name) => name.ecosystem)) {
    for (const chunk of chunksOf([...new Set(group.map(({ packageName }) => packageName))], rowsPerStatement)) {
      found.push(await query.where('ecosystem', '=', ecosystem).where('package_name', 'in', chunk).execute());
    }
  }
  return found.flat();
}

/** @returns the row as it is now; null when there is no such vulnerable package */
export async function setHidden(
  transaction: Db,
  { tenantId }: TenantScope,
  key: VulnerablePackageKey,
  isHidden: boolean,
): Promise<VulnerablePackageRow | null> {
  const row = await transaction
    .updateTable('vulnerable_packages')
    .set({ is_hidden: isHidden ? 1 : 0 })
    .where('tenant_id', '=', tenantId)
    .where('project_name', '=', key.projectName)
    .where('role', '=', key.role)
    .where('ecosystem', '=', key.ecosystem)
    .where('package_name', '=', key.packageName)
    .where('package_version', '=', key.originVersion)
    .returning(columns)
    .executeTakeFirst();
  return row ?? null;
}

/**
 * Takes new ids in the tenant. They are taken under the lock of the tenant's row, which is kept until the transaction
 * ends, so that ids become visible in ascending order and a reader who pages by them misses none.
 * @returns the first of them
 */
export async function takeIds(transaction: Db, { tenantId }: TenantScope, count: number): Promise<number> {
  const { vulnerable_package_counter: last } = await transaction
    .updateTable('tenants')
    .set(({ eb }) => ({ vulnerable_package_counter: eb('vulnerable_package_counter', '+', count) }))
    .where('id', '=', tenantId)
    .returning('vulnerable_package_counter')
    .executeTakeFirstOrThrow();
  return last - count + 1;
}

/** Writes rows by their id. What a row says of hiding and of the first sight counts only when it is new. */
export async function saveVulnerablePackages(
  transaction: Db,
  { tenantId }: TenantScope,
  rows: readonly VulnerablePackageRow[],
): Promise<void> {
  for (const chunk of chunksOf(rows, rowsPerStatement)) {
    const values = chunk.map((row) => ({
      ...row,
      tenant_id: tenantId,
      project_folded: foldText(row.project_name),
      package_folded: foldText(row.package_name),
    }));
    await transaction
      .insertInto('vulnerable_packages')
      .values(values)
      .onConflict((conflict) =>
        conflict.columns(['tenant_id', 'id']).doUpdateSet(({ ref }) => ({
          fix_availability: ref('excluded.fix_availability'),
          sealed_version: ref('excluded.sealed_version'),
          vulnerabilities: ref('excluded.vulnerabilities'),
          last_seen_on: ref('excluded.last_seen_on'),
        })),
      )
      .execute();
  }
}

export async function deleteVulnerablePackages(
  transaction: Db,
  { tenantId }: TenantScope,
  ids: readonly number[],
): Promise<void> {
  for (const chunk of chunksOf(ids, rowsPerStatement)) {
    const query = transaction.deleteFrom('vulnerable_packages').where('tenant_id', '=', tenantId);
    await query.where('id', 'in', chunk).execute();
  }
}
