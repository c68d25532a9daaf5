import type { ScanResult } from '@sealsmith/contract';
import { createProject } from '../../access/project-store.ts';
import { createTenant } from '../../access/tenant-store.ts';
import type { SealedPackage } from '../../artifacts/sealed-package.ts';
import type { Database } from '../../database/database.ts';
import { sharedTenantId } from '../../database/schema.ts';
import { inTransaction } from '../../database/transaction.ts';
import type { FixFact } from '../../fixes/fix-facts.ts';
import type { PatchFact } from '../../patches/patch-fact.ts';
import type { RequestContext } from '../../platform/http/route.ts';
import { createLogger } from '../../platform/logger.ts';
import { type Caller, type TenantScope, tenantScope } from '../../platform/tenancy.ts';
import type { Resolution } from '../../sealing-rules/resolution.ts';
import type { SourceRecord } from '../advisory-source.ts';
import { createScanRoute } from '../create-scan.route.ts';
import { importAdvisories } from '../import-advisories.ts';
import type { Advisory } from '../osv-record.ts';
import type { StateSelection } from '../state-refresh.ts';
import { createStateRefresh } from '../state-refresh-store.ts';
import { keyOfRow, presentVulnerablePackage } from '../vulnerable-package.ts';
import { listRecorded } from '../vulnerable-package-store.ts';

export type Scene = Awaited<ReturnType<typeof createScene>>;

/** What other features would tell of one tenant. */
interface Facts {
  seals: SealedPackage[];
  fixes: FixFact[];
  patches: PatchFact[];
  /** The iteration that the rules lead to; null for no rule, `origin` for an exception. */
  ruleLeadsTo: number | 'origin' | null;
}

/** Two tenants that look alike, and this feature over a real database with a clock that the test sets. */
export async function createScene(database: Database) {
  const time = { now: '2026-11-21T10:00:00.000Z' };
  const clock = { now: () => new Date(time.now) };
  const acme = await createTenant(database.db, database, clock, 'acme');
  const lookAlike = await createTenant(database.db, database, clock, 'acme2');
  const factsByTenant = new Map<number, Facts>();
  const factsOf = ({ tenantId }: TenantScope): Facts => {
    const facts = factsByTenant.get(tenantId) ?? { seals: [], fixes: [], patches: [], ruleLeadsTo: null };
    factsByTenant.set(tenantId, facts);
    return facts;
  };
  const refreshStates = createStateRefresh({
    listSealed: async (_db, scope) => factsOf(scope).seals,
    listFixFacts: async (_db, scope) => factsOf(scope).fixes,
    listPatchFacts: async (_db, scope) => factsOf(scope).patches,
    resolvePackages: async (_db, scope, targets) => targets.map(() => resolutionOf(factsOf(scope))),
  });
  const scanRoute = createScanRoute({
    database,
    clock,
    refreshStates,
    createProject,
    findSealedByIntegrity: async (_db, scope) =>
      new Map(factsOf(scope).seals.map((sealed) => [sealed.integrity, sealed])),
  });
  const scene = {
    database,
    clock,
    time,
    acme,
    lookAlike,
    everybody: tenantScope(sharedTenantId),
    factsOf,
    refreshStates,
    importAll: (scope: TenantScope, records: readonly (Advisory | SourceRecord)[]) =>
      importAdvisories({ database, refreshStates }, scope, sourceOf(records)),
    refresh: (scope: TenantScope, selection: StateSelection) =>
      inTransaction(database, (transaction) => refreshStates(transaction, scope, selection)),
    scan: async (caller: Caller, projectName: string, body: unknown, source?: string): Promise<ScanResult> => {
      const query = source === undefined ? {} : { source };
      const input = { params: { project_name: projectName }, query, body } as never;
      const { status, body: result } = await scanRoute.handle(input, contextOf(caller));
      if (status !== 201) throw new Error(`a scan answers 201, not ${status}`);
      return result as ScanResult;
    },
    /** Everything recorded of a tenant, as clients see it. */
    listAll: async (scope: TenantScope) => {
      const rows = await listRecorded(database.db, scope, { packages: null, projectName: null, role: null });
      return rows.sort((a, b) => a.id - b.id).map(presentVulnerablePackage);
    },
    /** `project role package version` → what is to be done. */
    states: async (scope: TenantScope): Promise<Record<string, string>> => {
      const rows = await listRecorded(database.db, scope, { packages: null, projectName: null, role: null });
      return Object.fromEntries(
        rows.map((row) => {
          const { projectName, role, packageName, originVersion } = keyOfRow(row);
          return [`${projectName} ${role} ${packageName} ${originVersion}`, row.fix_availability];
        }),
      );
    },
  };
  return scene;
}

export function callerOf(scope: TenantScope, role: Caller['role'] = 'production'): Caller {
  return { ...scope, tokenId: `token-${scope.tenantId}`, role, scopes: new Set(['read', 'scans']) };
}

export function contextOf(caller: Caller, body?: { stream: NodeJS.ReadableStream; mediaType: string }): RequestContext {
  const stream = body?.stream ?? process.stdin;
  const mediaType = body?.mediaType ?? 'application/json';
  return { caller, publicUrl: 'http://localhost', log: createLogger('silent'), stream, mediaType };
}

export function packageList(...packages: string[]): { packages: unknown[] } {
  return {
    packages: packages.map((text) => {
      const at = text.lastIndexOf('@');
      return { ecosystem: 'NPM', package_name: text.slice(0, at), package_version: text.slice(at + 1) };
    }),
  };
}

/** A seal of npm's `name@version` that closes these identifiers. */
export function sealOf(text: string, iteration: number, closedIdentifiers: string[]): SealedPackage {
  const [packageName = '', originVersion = ''] = text.split('@');
  const sealedVersion = `${originVersion}-sp${iteration}`;
  return {
    ecosystem: 'npm',
    packageName,
    originVersion,
    iteration,
    sealedVersion,
    fixId: 'fix',
    fileName: `${packageName}-${sealedVersion}.tgz`,
    sha256: 'ab',
    shasum: 'cd',
    integrity: `sha512-${packageName}${iteration}`,
    sizeBytes: 1,
    closedIdentifiers,
    publishedOn: '2026-11-21T09:00:00.000Z',
  };
}

function resolutionOf({ ruleLeadsTo, seals }: Facts): Resolution {
  const rule = {
    scope: { kind: 'tenant' },
    subject: { kind: 'every-package' },
    outcome: { kind: 'safest' },
    createdOn: '2026-11-21T09:00:00.000Z',
  } as const;
  if (ruleLeadsTo === null) return { outcome: 'no_rule', rule: null, losers: [] };
  if (ruleLeadsTo === 'origin') return { outcome: 'origin', rule, losers: [] };
  const sealed = seals.find(({ iteration }) => iteration === ruleLeadsTo);
  return sealed
    ? { outcome: 'sealed', rule, sealed, losers: [] }
    : { outcome: 'unresolved', rule, missing: 'x', losers: [] };
}

async function* sourceOf(records: readonly (Advisory | SourceRecord)[]): AsyncGenerator<SourceRecord> {
  for (const [index, record] of records.entries()) yield 'name' in record ? record : { name: `[${index}]`, record };
}
