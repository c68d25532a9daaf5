import { sql } from 'kysely';
import type { Database, Db } from '../database/database.ts';
import type { OriginVersion } from '../patches/stored-patch-set.ts';
import { type Clock, timestamp } from '../platform/clock.ts';
import { type TenantScope, tenantScope } from '../platform/tenancy.ts';
import type { BuildReport } from './build-report.ts';

/**
 * A fix that a worker holds until its lease is over. Owner and attempt together tell this claim from any later one, also
 * of the same worker: a claim that has been lost can write nothing.
 */
export interface ClaimedFix extends OriginVersion {
  /** Whose fix it is: workers serve all tenants, and everything that the build reads and writes is this tenant's. */
  scope: TenantScope;
  id: string;
  requestedIdentifiers: string[];
  leaseOwner: string;
  /** Counted from 1, this claim included. */
  attempt: number;
}

export interface Lease {
  workerId: string;
  leaseMs: number;
}

/**
 * Takes the oldest fix that waits, or whose worker let its lease run out; null when there is none. `lease_until` is also
 * how a queued fix is held back after a failed attempt: whatever its status, a fix is free once that time has passed.
 */
export async function claimFix(
  { db, capabilities }: Database,
  clock: Clock,
  { workerId, leaseMs }: Lease,
): Promise<ClaimedFix | null> {
  const now = timestamp(clock);
  // Written out and not as parameters: only so is the partial index of fixes under way known to fit.
  const isUnderWay = sql<boolean>`status in ('queued', 'building')`;
  let next = db
    .selectFrom('fixes')
    .select(['tenant_id', 'id'])
    .where(isUnderWay)
    .where(({ or, eb }) => or([eb('lease_until', 'is', null), eb('lease_until', '<=', now)]))
    .orderBy('id')
    .limit(1);
  // Most looks find nothing, and an update that changes nothing would still wait for SQLite's one write lock.
  if (!(await next.executeTakeFirst())) return null;
  if (capabilities.skipLocked) next = next.forUpdate().skipLocked();
  const row = await db
    .updateTable('fixes')
    .set(({ eb }) => ({
      status: 'building',
      attempts: eb('attempts', '+', 1),
      lease_owner: workerId,
      lease_until: leaseEnd(clock, leaseMs),
      updated_on: now,
    }))
    .where(({ eb, refTuple }) => eb(refTuple('tenant_id', 'id'), '=', next.$asTuple('tenant_id', 'id')))
    .returning(['tenant_id', 'id', 'ecosystem', 'package_name', 'origin_version', 'requested_identifiers', 'attempts'])
    .executeTakeFirst();
  if (!row) return null;
  return {
    scope: tenantScope(row.tenant_id),
    id: row.id,
    ecosystem: row.ecosystem,
    packageName: row.package_name,
    originVersion: row.origin_version,
    requestedIdentifiers: JSON.parse(row.requested_identifiers),
    leaseOwner: workerId,
    attempt: row.attempts,
  };
}

/** @returns false when the claim has been lost */
export async function renewLease(db: Db, clock: Clock, claim: ClaimedFix, leaseMs: number): Promise<boolean> {
  const { numUpdatedRows } = await ownedBy(db, claim)
    .set({ lease_until: leaseEnd(clock, leaseMs) })
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export interface FixEnd {
  status: 'succeeded' | 'unfixable' | 'failed';
  reason: string | null;
  sealedVersion: string | null;
  closedIdentifiers: string[];
  report: BuildReport | null;
}

/**
 * Ends a fix. The first statement of its transaction: it locks the row, so that of two workers one writes.
 * @returns false when the claim has been lost, and then nothing may be written
 */
export async function finishFix(transaction: Db, clock: Clock, claim: ClaimedFix, end: FixEnd): Promise<boolean> {
  const { numUpdatedRows } = await ownedBy(transaction, claim)
    .set({
      status: end.status,
      reason: end.reason,
      sealed_version: end.sealedVersion,
      closed_identifiers: JSON.stringify(end.closedIdentifiers),
      report: end.report === null ? null : JSON.stringify(end.report),
      lease_owner: null,
      lease_until: null,
      updated_on: timestamp(clock),
    })
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Puts a fix back for a later attempt, if the claim still holds. */
export async function requeueFix(db: Db, clock: Clock, claim: ClaimedFix, delayMs: number): Promise<void> {
  await ownedBy(db, claim)
    .set({
      status: 'queued',
      lease_owner: null,
      lease_until: leaseEnd(clock, delayMs),
      updated_on: timestamp(clock),
    })
    .execute();
}

function ownedBy(db: Db, { scope, id, leaseOwner, attempt }: ClaimedFix) {
  return db
    .updateTable('fixes')
    .where('tenant_id', '=', scope.tenantId)
    .where('id', '=', id)
    .where('status', '=', 'building')
    .where('lease_owner', '=', leaseOwner)
    .where('attempts', '=', attempt);
}

function leaseEnd(clock: Clock, leaseMs: number): string {
  return new Date(clock.now().getTime() + leaseMs).toISOString();
}
