import type { ImportReport } from '@sealsmith/contract';
import { recordAudit } from '../audit/record-audit.ts';
import type { Database, Db } from '../database/database.ts';
import { sharedTenantId } from '../database/schema.ts';
import { inTransaction } from '../database/transaction.ts';
import type { Clock } from '../platform/clock.ts';
import type { TenantScope } from '../platform/tenancy.ts';
import type { RefreshStates } from '../vulnerabilities/state-refresh.ts';
import type { PatchSet, PatchSetProblem } from './patch-set.ts';
import { savePatchSet } from './patch-set-store.ts';

const problemsMax = 1_000;

export interface PatchImportDeps {
  database: Database;
  clock: Clock;
  refresh: RefreshStates;
  /** Every tenant: all of them see what the operator imports. */
  listTenants: (db: Db) => Promise<TenantScope[]>;
}

/** Whose catalog is written to, and who does it: a token id, or `operator`. */
export interface PatchImporter extends TenantScope {
  actor: string;
}

/**
 * Imports sets one by one, each whole or not at all and with the states that it changes, so that an import that breaks off
 * is finished by running it again. A set that changed under its iteration replaces what stood there; what was sealed with
 * the earlier one keeps its own copy. Of the problems the first 1,000 are listed; all are counted as skipped.
 */
export async function importPatchSets(
  deps: PatchImportDeps,
  importer: PatchImporter,
  sets: AsyncIterable<PatchSet | PatchSetProblem>,
): Promise<ImportReport> {
  const report: ImportReport = { imported: 0, unchanged: 0, skipped: 0, problems: [] };
  for await (const set of sets) {
    if ('problem' in set) {
      report.skipped += 1;
      if (report.problems.length < problemsMax) report.problems.push({ name: set.path, reason: set.problem });
    } else {
      report[(await importPatchSet(deps, importer, set)) ? 'imported' : 'unchanged'] += 1;
    }
  }
  return report;
}

/** @returns whether anything changed */
function importPatchSet(deps: PatchImportDeps, importer: PatchImporter, set: PatchSet): Promise<boolean> {
  const { database, clock, refresh } = deps;
  return inTransaction(database, async (transaction) => {
    if (!(await savePatchSet(transaction, importer, clock, set))) return false;
    const { ecosystem, name, version, iteration } = set;
    await recordAudit(transaction, importer, clock, {
      actor: importer.actor,
      action: 'patches.imported',
      subject: `${ecosystem} ${name} ${version}`,
      detail: { iteration, patches: set.patches.map(({ fileName }) => fileName) },
    });
    const packages = [{ ecosystem, packageName: name }];
    for (const scope of await scopesSeeing(deps, importer, transaction)) {
      await refresh(transaction, scope, { kind: 'packages', packages });
    }
    return true;
  });
}

async function scopesSeeing(
  { listTenants }: PatchImportDeps,
  { tenantId }: TenantScope,
  transaction: Db,
): Promise<TenantScope[]> {
  return tenantId === sharedTenantId ? listTenants(transaction) : [{ tenantId }];
}
