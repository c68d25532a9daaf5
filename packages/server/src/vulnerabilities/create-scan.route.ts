import { endpoints, type ScanResult } from '@sealsmith/contract';
import type { SealedPackage } from '../artifacts/sealed-package.ts';
import { recordAudit } from '../audit/record-audit.ts';
import type { Database, Db } from '../database/database.ts';
import { inTransaction } from '../database/transaction.ts';
import { type Clock, timestamp } from '../platform/clock.ts';
import { defineRoute } from '../platform/http/route.ts';
import { createId } from '../platform/ids.ts';
import type { Caller, TenantScope } from '../platform/tenancy.ts';
import { type Component, replaceComponents, type ScanSubject } from './component-store.ts';
import { insertScan, setVulnerableCount } from './scan-store.ts';
import { readScan, type ScannedContent, toComponents } from './scanned-package.ts';
import { lockStates } from './state-lock.ts';
import type { RefreshStates } from './state-refresh.ts';
import { keyOfRow, presentVulnerablePackage, type VulnerablePackageRow } from './vulnerable-package.ts';
import { listRecorded } from './vulnerable-package-store.ts';

interface Dependencies {
  database: Database;
  clock: Clock;
  refreshStates: RefreshStates;
  /** @returns false when the project is there already */
  createProject(transaction: Db, scope: TenantScope, clock: Clock, name: string): Promise<boolean>;
  findSealedByIntegrity(
    db: Db,
    scope: TenantScope,
    integrities: readonly string[],
  ): Promise<Map<string, SealedPackage>>;
}

export function createScanRoute(dependencies: Dependencies) {
  return defineRoute(endpoints.createScan, async ({ params, query, body }, { caller }) => {
    const content = readScan(body);
    const source = query.source ?? content.defaultSource;
    const subject = { projectName: params.project_name, role: caller.role, source };
    const result = await inTransaction(dependencies.database, (transaction) =>
      recordScan(transaction, caller, { subject, content }, dependencies),
    );
    return { status: 201, body: result };
  });
}

async function recordScan(
  transaction: Db,
  caller: Caller,
  { subject, content }: { subject: ScanSubject; content: ScannedContent },
  { clock, refreshStates, createProject, findSealedByIntegrity }: Dependencies,
): Promise<ScanResult> {
  const { projectName, role, source } = subject;
  const { format, packages, problems } = content;
  const audit = { actor: caller.tokenId, subject: projectName };
  // Before anything is read: of two scans of one source at the same time, one replaces what the other found.
  await lockStates(transaction, caller);
  if (await createProject(transaction, caller, clock, projectName)) {
    await recordAudit(transaction, caller, clock, { ...audit, action: 'project.created' });
  }
  const digests = [...new Set(packages.flatMap((item) => item.digests))];
  const components = toComponents(packages, await findSealedByIntegrity(transaction, caller, digests));
  const id = createId(clock);
  const packageCount = components.length;
  await replaceComponents(transaction, caller, subject, components);
  await insertScan(transaction, caller, { ...subject, id, format, packageCount, createdOn: timestamp(clock) });
  await refreshStates(transaction, caller, { kind: 'project', projectName, role });
  const vulnerable = await listTouched(transaction, caller, subject, components);
  const scan = await setVulnerableCount(transaction, caller, { projectName, id }, vulnerable.length);
  const detail = { scan_id: id, source, format, package_count: packageCount };
  await recordAudit(transaction, caller, clock, { ...audit, action: 'scan.created', detail });
  return { ...scan, vulnerable_packages: vulnerable.map(presentVulnerablePackage), problems };
}

/** The vulnerable packages of the project that this scan saw, and not only other scans of it. */
async function listTouched(
  transaction: Db,
  scope: TenantScope,
  { projectName, role }: ScanSubject,
  components: readonly Component[],
): Promise<VulnerablePackageRow[]> {
  const versionText = ({ ecosystem, packageName, originVersion }: Omit<Component, 'iteration'>) =>
    JSON.stringify([ecosystem, packageName, originVersion]);
  const touched = new Set(components.map(versionText));
  const recorded = await listRecorded(transaction, scope, { packages: null, projectName, role });
  return recorded.filter((row) => touched.has(versionText(keyOfRow(row))));
}
