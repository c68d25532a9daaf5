import type { ImportReport } from '@sealsmith/contract';
import type { PackageName } from '../artifacts/sealed-package.ts';
import type { Database, Db } from '../database/database.ts';
import { inTransaction } from '../database/transaction.ts';
import type { TenantScope } from '../platform/tenancy.ts';
import type { SourceRecord } from './advisory-source.ts';
import { listModified, saveAdvisories } from './advisory-store.ts';
import { listTenantsWith } from './component-store.ts';
import type { Advisory } from './osv-record.ts';
import { lockStates } from './state-lock.ts';
import type { RefreshStates } from './state-refresh.ts';

const recordsPerTransaction = 500;
const namedProblemsMax = 1_000;

export type ImportCounts = Omit<ImportReport, 'problems'>;

interface Dependencies {
  database: Database;
  refreshStates: RefreshStates;
}

/**
 * Takes records over as the tenant's own, or as everybody's for the shared tenant; each batch is whole or not there. A
 * record is unchanged when what the tenant sees under its id is as new. The report names the first 1,000 problems and
 * counts them all.
 */
export async function importAdvisories(
  { database, refreshStates }: Dependencies,
  scope: TenantScope,
  records: AsyncIterable<SourceRecord>,
  onProgress: (counts: ImportCounts) => void = () => {},
): Promise<ImportReport> {
  const report: ImportReport = { imported: 0, unchanged: 0, skipped: 0, problems: [] };
  let batch: Advisory[] = [];
  const flush = async () => {
    const imported = await inTransaction(database, (transaction) =>
      importBatch(transaction, scope, batch, refreshStates),
    );
    report.imported += imported;
    report.unchanged += batch.length - imported;
    batch = [];
    const { problems, ...counts } = report;
    onProgress(counts);
  };
  for await (const source of records) {
    if ('record' in source) batch.push(source.record);
    else noteProblem(report, source);
    if (batch.length === recordsPerTransaction) await flush();
  }
  await flush();
  return report;
}

function noteProblem(report: ImportReport, { name, problem }: { name: string; problem: string }): void {
  report.skipped += 1;
  if (report.problems.length < namedProblemsMax) report.problems.push({ name, reason: problem });
}

/** @returns how many records were new to the tenant */
async function importBatch(
  transaction: Db,
  scope: TenantScope,
  batch: readonly Advisory[],
  refreshStates: RefreshStates,
): Promise<number> {
  const fresh = await selectFresh(transaction, scope, batch);
  if (fresh.length === 0) return 0;
  const packages = distinctNames(
    await saveAdvisories(transaction, scope, [...new Map(fresh.map((a) => [a.id, a])).values()]),
  );
  await lockStates(transaction, scope);
  for (const [tenant, names] of await listTenantsWith(transaction, scope, packages)) {
    await refreshStates(transaction, tenant, { kind: 'packages', packages: names });
  }
  return fresh.length;
}

/** What is newer than anything before it, in the order of the source; the last of an id is the one to keep. */
async function selectFresh(transaction: Db, scope: TenantScope, batch: readonly Advisory[]): Promise<Advisory[]> {
  const newest = await listModified(transaction, scope, [...new Set(batch.map(({ id }) => id))]);
  return batch.filter(({ id, modified }) => {
    const known = newest.get(id);
    if (known !== undefined && modified <= known) return false;
    newest.set(id, modified);
    return true;
  });
}

function distinctNames(names: readonly PackageName[]): PackageName[] {
  return [...new Map(names.map((name) => [`${name.ecosystem} ${name.packageName}`, name])).values()];
}
