import type { Scan, scanFormats } from '@sealsmith/contract';
import type { Selectable } from 'kysely';
import { chunksOf } from '../database/chunks.ts';
import type { Db } from '../database/database.ts';
import type { ScansTable } from '../database/schema.ts';
import type { TenantScope } from '../platform/tenancy.ts';
import type { ScanSubject } from './component-store.ts';

const namesPerQuery = 500;

export interface NewScan extends ScanSubject {
  id: string;
  format: (typeof scanFormats)[number];
  packageCount: number;
  createdOn: string;
}

/** Writes a scan whose vulnerable packages are not counted yet. */
export async function insertScan(transaction: Db, { tenantId }: TenantScope, scan: NewScan): Promise<void> {
  await transaction
    .insertInto('scans')
    .values({
      tenant_id: tenantId,
      id: scan.id,
      project_name: scan.projectName,
      source: scan.source,
      role: scan.role,
      format: scan.format,
      package_count: scan.packageCount,
      vulnerable_package_count: 0,
      created_on: scan.createdOn,
    })
    .execute();
}

/** @returns the scan as stored */
export async function setVulnerableCount(
  transaction: Db,
  { tenantId }: TenantScope,
  { projectName, id }: Pick<NewScan, 'projectName' | 'id'>,
  count: number,
): Promise<Scan> {
  const row = await transaction
    .updateTable('scans')
    .set({ vulnerable_package_count: count })
    .where('tenant_id', '=', tenantId)
    .where('project_name', '=', projectName)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
  return present(row);
}

/** Scans of a project from the newest on; those before `before` (exclusive), or all from the newest when it is null. */
export async function listScans(
  db: Db,
  { tenantId }: TenantScope,
  { projectName, before, limit }: { projectName: string; before: string | null; limit: number },
): Promise<Scan[]> {
  let query = db
    .selectFrom('scans')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('project_name', '=', projectName);
  if (before !== null) query = query.where('id', '<', before);
  return (await query.orderBy('id', 'desc').limit(limit).execute()).map(present);
}

/** When each source of these projects was last scanned, by {@link scanKey}. */
export async function listLastScans(
  db: Db,
  { tenantId }: TenantScope,
  projectNames: readonly string[],
): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const chunk of chunksOf(projectNames, namesPerQuery)) {
    const rows = await db
      .selectFrom('scans')
      .select(({ fn }) => ['project_name', 'role', 'source', fn.max('created_on').as('last')])
      .where('tenant_id', '=', tenantId)
      .where('project_name', 'in', chunk)
      .groupBy(['project_name', 'role', 'source'])
      .execute();
    for (const { project_name, role, source, last } of rows) {
      found.set(scanKey({ projectName: project_name, role, source }), last);
    }
  }
  return found;
}

/** The subject of a scan as one text, for maps. */
export function scanKey({ projectName, role, source }: ScanSubject): string {
  return JSON.stringify([projectName, role, source]);
}

function present(row: Selectable<ScansTable>): Scan {
  return {
    id: row.id,
    project_name: row.project_name,
    source: row.source,
    format: row.format as Scan['format'],
    package_count: row.package_count,
    vulnerable_package_count: row.vulnerable_package_count,
    created_on: row.created_on,
  };
}
