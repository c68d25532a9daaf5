import type { FixStatus } from '@sealsmith/contract';
import type { Selectable } from 'kysely';
import { chunksOf } from '../database/chunks.ts';
import type { Db } from '../database/database.ts';
import type { FixesTable } from '../database/schema.ts';
import type { OriginVersion } from '../patches/stored-patch-set.ts';
import { type Clock, timestamp } from '../platform/clock.ts';
import { createId } from '../platform/ids.ts';
import type { TenantScope } from '../platform/tenancy.ts';
import type { FindBuildReport } from './build-report.ts';
import type { StoredFix } from './fix.ts';
import type { FixFact, ListFixFacts } from './fix-facts.ts';

const namesPerQuery = 500;

const columns = [
  'id',
  'ecosystem',
  'package_name',
  'origin_version',
  'requested_identifiers',
  'status',
  'reason',
  'sealed_version',
  'closed_identifiers',
  'created_on',
  'updated_on',
] as const;

type FixRow = Pick<Selectable<FixesTable>, (typeof columns)[number]>;

/** Queues a fix; null when one of this package version is under way already. */
export async function createFix(
  transaction: Db,
  { tenantId }: TenantScope,
  clock: Clock,
  { ecosystem, packageName, originVersion, requestedIdentifiers }: OriginVersion & { requestedIdentifiers: string[] },
): Promise<StoredFix | null> {
  const now = timestamp(clock);
  const row = await transaction
    .insertInto('fixes')
    .values({
      tenant_id: tenantId,
      id: createId(clock),
      ecosystem,
      package_name: packageName,
      origin_version: originVersion,
      requested_identifiers: JSON.stringify(requestedIdentifiers),
      status: 'queued',
      reason: null,
      sealed_version: null,
      closed_identifiers: '[]',
      report: null,
      attempts: 0,
      lease_owner: null,
      lease_until: null,
      created_on: now,
      updated_on: now,
    })
    // The index `fixes_under_way` holds two simultaneous requests to one fix.
    .onConflict((conflict) => conflict.doNothing())
    .returning(columns)
    .executeTakeFirst();
  return row ? fromRow(row) : null;
}

export async function findFixUnderWay(
  db: Db,
  { tenantId }: TenantScope,
  { ecosystem, packageName, originVersion }: OriginVersion,
): Promise<StoredFix | null> {
  const row = await db
    .selectFrom('fixes')
    .select(columns)
    .where('tenant_id', '=', tenantId)
    .where('ecosystem', '=', ecosystem)
    .where('package_name', '=', packageName)
    .where('origin_version', '=', originVersion)
    .where('status', 'in', ['queued', 'building'])
    .executeTakeFirst();
  return row ? fromRow(row) : null;
}

export async function findFix(db: Db, { tenantId }: TenantScope, id: string): Promise<StoredFix | null> {
  const row = await db
    .selectFrom('fixes')
    .select(columns)
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row ? fromRow(row) : null;
}

export const findBuildReport: FindBuildReport = async (db, { tenantId }, fixId) => {
  const row = await db
    .selectFrom('fixes')
    .select('report')
    .where('tenant_id', '=', tenantId)
    .where('id', '=', fixId)
    .executeTakeFirst();
  return row ? JSON.parse(row.report ?? 'null') : null;
};

export interface FixPage {
  /** null: of any status. */
  status: FixStatus | null;
  /** Only those created before this one; null starts with the newest. */
  beforeId: string | null;
  limit: number;
}

/** Fixes, newest first. */
export async function listFixes(
  db: Db,
  { tenantId }: TenantScope,
  { status, beforeId, limit }: FixPage,
): Promise<StoredFix[]> {
  let query = db.selectFrom('fixes').select(columns).where('tenant_id', '=', tenantId);
  if (status !== null) query = query.where('status', '=', status);
  if (beforeId !== null) query = query.where('id', '<', beforeId);
  const rows = await query.orderBy('id', 'desc').limit(limit).execute();
  return rows.map(fromRow);
}

export const listFixFacts: ListFixFacts = async (db, { tenantId }, names) => {
  const facts: FixFact[] = [];
  for (const [ecosystem, group] of Map.groupBy(names, (name) => name.ecosystem)) {
    const packageNames = [...new Set(group.map(({ packageName }) => packageName))];
    for (const chunk of chunksOf(packageNames, namesPerQuery)) {
      const newest = db
        .selectFrom('fixes')
        .select(({ fn }) => fn.max('id').as('id'))
        .where('tenant_id', '=', tenantId)
        .where('ecosystem', '=', ecosystem)
        .where('package_name', 'in', chunk)
        .groupBy(['package_name', 'origin_version']);
      const rows = await db
        .selectFrom('fixes')
        .select(['package_name', 'origin_version', 'status', 'created_on'])
        .where('tenant_id', '=', tenantId)
        .where('id', 'in', newest)
        .orderBy('package_name')
        .orderBy('origin_version')
        .execute();
      facts.push(
        ...rows.map((row) => ({
          ecosystem,
          packageName: row.package_name,
          originVersion: row.origin_version,
          status: row.status,
          createdOn: row.created_on,
        })),
      );
    }
  }
  return facts;
};

function fromRow(row: FixRow): StoredFix {
  return {
    id: row.id,
    ecosystem: row.ecosystem,
    packageName: row.package_name,
    originVersion: row.origin_version,
    requestedIdentifiers: JSON.parse(row.requested_identifiers),
    status: row.status,
    reason: row.reason,
    sealedVersion: row.sealed_version,
    closedIdentifiers: JSON.parse(row.closed_identifiers),
    createdOn: row.created_on,
    updatedOn: row.updated_on,
  };
}
