import type { TokenRole } from '@sealsmith/contract';
import type { EcosystemId } from '@sealsmith/ecosystems';
import type { PackageName } from '../artifacts/sealed-package.ts';
import { chunksOf } from '../database/chunks.ts';
import type { Db } from '../database/database.ts';
import { sharedTenantId } from '../database/schema.ts';
import { type TenantScope, tenantScope } from '../platform/tenancy.ts';

const namesPerQuery = 500;
const rowsPerInsert = 500;

/** One package version that a scan saw. */
export interface Component {
  ecosystem: EcosystemId;
  /** Normalised. */
  packageName: string;
  originVersion: string;
  /** 0 for the origin itself. */
  iteration: number;
}

/** What a scan is about; the next scan of the same replaces it. */
export interface ScanSubject {
  projectName: string;
  role: TokenRole;
  source: string;
}

/** An origin version of a project with every copy that its last scans saw. */
export interface SeenPackage extends Omit<Component, 'iteration'> {
  projectName: string;
  role: TokenRole;
  iterations: [number, ...number[]];
  sources: string[];
}

/** null: without restriction. */
export interface PackageFilter {
  packages: readonly PackageName[] | null;
  projectName: string | null;
  role: TokenRole | null;
}

/** Puts components, each once, in the place of what the last scan of the same saw. */
export async function replaceComponents(
  transaction: Db,
  scope: TenantScope,
  { projectName, role, source }: ScanSubject,
  components: readonly Component[],
): Promise<void> {
  const { tenantId } = scope;
  const filter = { packages: null, projectName, role };
  const before = await selectComponents(transaction, scope, filter).where('source', '=', source).execute();
  const known = new Set(
    before.map((row) => componentText(row.ecosystem, row.package_name, row.origin_version, row.iteration)),
  );
  // Most scans of a project find what the one before found.
  const isSame = components.every((item) =>
    known.has(componentText(item.ecosystem, item.packageName, item.originVersion, item.iteration)),
  );
  if (isSame && known.size === components.length) return;
  await transaction
    .deleteFrom('components')
    .where('tenant_id', '=', tenantId)
    .where('project_name', '=', projectName)
    .where('role', '=', role)
    .where('source', '=', source)
    .execute();
  for (const chunk of chunksOf(components, rowsPerInsert)) {
    const rows = chunk.map(({ ecosystem, packageName, originVersion, iteration }) => ({
      tenant_id: tenantId,
      project_name: projectName,
      role,
      source,
      ecosystem,
      package_name: packageName,
      origin_version: originVersion,
      iteration,
    }));
    await transaction.insertInto('components').values(rows).execute();
  }
}

/** What the projects contain, the copies and sources of one origin version together. */
export async function listSeenPackages(db: Db, scope: TenantScope, filter: PackageFilter): Promise<SeenPackage[]> {
  if (filter.packages === null) return grouped(await selectComponents(db, scope, filter).execute());
  const seen: SeenPackage[][] = [];
  for (const [ecosystem, group] of Map.groupBy(filter.packages, (name) => name.ecosystem)) {
    for (const chunk of chunksOf([...new Set(group.map(({ packageName }) => packageName))], namesPerQuery)) {
      const query = selectComponents(db, scope, filter).where('ecosystem', '=', ecosystem);
      seen.push(grouped(await query.where('package_name', 'in', chunk).execute()));
    }
  }
  return seen.flat();
}

/** The tenants whose projects contain some of these packages, each with those; the shared tenant asks for all tenants. */
export async function listTenantsWith(
  db: Db,
  { tenantId }: TenantScope,
  packages: readonly PackageName[],
): Promise<Map<TenantScope, PackageName[]>> {
  const found = new Map<number, PackageName[]>();
  for (const [ecosystem, group] of Map.groupBy(packages, (name) => name.ecosystem)) {
    for (const chunk of chunksOf([...new Set(group.map(({ packageName }) => packageName))], namesPerQuery)) {
      const rows = await db
        .selectFrom('components')
        .select(['tenant_id', 'package_name'])
        .distinct()
        .$if(tenantId !== sharedTenantId, (query) => query.where('tenant_id', '=', tenantId))
        // Named one by one, so that the index, which starts with the tenant, finds each package.
        .$if(tenantId === sharedTenantId, (query) =>
          query.where('tenant_id', 'in', (tenants) => tenants.selectFrom('tenants').select('id')),
        )
        .where('ecosystem', '=', ecosystem)
        .where('package_name', 'in', chunk)
        .execute();
      for (const row of rows) {
        const names = found.get(row.tenant_id) ?? [];
        found.set(row.tenant_id, names);
        names.push({ ecosystem, packageName: row.package_name });
      }
    }
  }
  return new Map([...found].map(([id, names]) => [tenantScope(id), names]));
}

function componentText(...parts: [ecosystem: EcosystemId, name: string, version: string, iteration: number]): string {
  return JSON.stringify(parts);
}

function selectComponents(db: Db, { tenantId }: TenantScope, { projectName, role }: PackageFilter) {
  let query = db
    .selectFrom('components')
    .select(['project_name', 'role', 'source', 'ecosystem', 'package_name', 'origin_version', 'iteration'])
    .where('tenant_id', '=', tenantId);
  if (projectName !== null) query = query.where('project_name', '=', projectName);
  if (role !== null) query = query.where('role', '=', role);
  return query;
}

type ComponentRow = Awaited<ReturnType<ReturnType<typeof selectComponents>['execute']>>[number];

function grouped(rows: readonly ComponentRow[]): SeenPackage[] {
  const seen = new Map<string, SeenPackage>();
  for (const row of rows) {
    const key = JSON.stringify([row.project_name, row.role, row.ecosystem, row.package_name, row.origin_version]);
    const known = seen.get(key);
    if (known) {
      if (!known.iterations.includes(row.iteration)) known.iterations.push(row.iteration);
      if (!known.sources.includes(row.source)) known.sources.push(row.source);
      continue;
    }
    seen.set(key, {
      projectName: row.project_name,
      role: row.role,
      ecosystem: row.ecosystem,
      packageName: row.package_name,
      originVersion: row.origin_version,
      iterations: [row.iteration],
      sources: [row.source],
    });
  }
  return [...seen.values()];
}
