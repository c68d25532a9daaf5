import type { PackageName } from '../artifacts/sealed-package.ts';
import { chunksOf } from '../database/chunks.ts';
import type { Db } from '../database/database.ts';
import { sharedTenantId } from '../database/schema.ts';
import type { TenantScope } from '../platform/tenancy.ts';
import { identifierKey } from './identifiers.ts';
import type { Advisory } from './osv-record.ts';

const namesPerQuery = 500;
const rowsPerInsert = 500;
/** How often the search for records that are joined by their aliases goes one record further. */
const aliasHopsMax = 4;
const joinedAdvisoriesMax = 200;

/** When each of these advisories, as the tenant sees it, was last modified; its own record hides the shared one. */
export async function listModified(db: Db, scope: TenantScope, ids: readonly string[]): Promise<Map<string, string>> {
  const seen = new Map<string, string>();
  for (const chunk of chunksOf(ids, namesPerQuery)) {
    const rows = await db
      .selectFrom('advisories')
      .select(['tenant_id', 'id', 'modified'])
      .where('tenant_id', 'in', ownersSeenBy(scope))
      .where('id', 'in', chunk)
      .orderBy('tenant_id')
      .execute();
    // The shared tenant has the lowest id, so that a tenant's own record comes last and stays.
    for (const { id, modified } of rows) seen.set(id, modified);
  }
  return seen;
}

/**
 * Puts advisories in the place of what the tenant itself holds under the same ids, one record per id.
 * @returns the packages that the old and the new records name; nothing for a record that another import has overtaken
 */
export async function saveAdvisories(
  transaction: Db,
  scope: TenantScope,
  advisories: readonly Advisory[],
): Promise<PackageName[]> {
  const savedIds = await upsertRecords(transaction, scope, advisories);
  const saved = advisories.filter(({ id }) => savedIds.has(id));
  const before = await listNamedPackages(transaction, scope, [...savedIds]);
  for (const chunk of chunksOf([...savedIds], namesPerQuery)) {
    for (const table of ['advisory_identifiers', 'advisory_packages'] as const) {
      const query = transaction.deleteFrom(table).where('tenant_id', '=', scope.tenantId);
      await query.where('advisory_id', 'in', chunk).execute();
    }
  }
  await insertIdentifiers(transaction, scope, saved);
  await insertPackages(transaction, scope, saved);
  return [...before, ...saved.flatMap(packagesOf)];
}

/** The ids of the advisories that name these packages of one ecosystem; withdrawn and overridden ones among them. */
export async function listAdvisoryIds(
  db: Db,
  scope: TenantScope,
  ecosystem: PackageName['ecosystem'],
  packageNames: readonly string[],
): Promise<{ packageName: string; advisoryId: string }[]> {
  const found: { packageName: string; advisoryId: string }[] = [];
  for (const chunk of chunksOf(packageNames, namesPerQuery)) {
    const rows = await db
      .selectFrom('advisory_packages')
      .select(['package_name', 'advisory_id'])
      .where('tenant_id', 'in', ownersSeenBy(scope))
      .where('ecosystem', '=', ecosystem)
      .where('package_name', 'in', chunk)
      .execute();
    for (const row of rows) found.push({ packageName: row.package_name, advisoryId: row.advisory_id });
  }
  return found;
}

/** The advisories of these ids as the tenant sees them, without the withdrawn ones. */
export async function findAdvisories(
  db: Db,
  scope: TenantScope,
  ids: readonly string[],
): Promise<Map<string, Advisory>> {
  const found = new Map<string, Advisory>();
  for (const chunk of chunksOf(ids, namesPerQuery)) {
    const rows = await db
      .selectFrom('advisories')
      .select(['tenant_id', 'id', 'withdrawn', 'record'])
      .where('tenant_id', 'in', ownersSeenBy(scope))
      .where('id', 'in', chunk)
      .orderBy('tenant_id')
      .execute();
    const seen = new Map(rows.map((row) => [row.id, row]));
    for (const { id, withdrawn, record } of seen.values()) {
      if (withdrawn === null) found.set(id, JSON.parse(record));
    }
  }
  return found;
}

/**
 * The advisories that speak of the vulnerability with this id or alias, also those that are joined to it only through
 * another record's aliases; by id.
 */
export async function findAdvisoriesByIdentifier(db: Db, scope: TenantScope, identifier: string): Promise<Advisory[]> {
  const found = new Map<string, Advisory>();
  const searched = new Set<string>();
  let keys = [identifierKey(identifier)];
  for (let hop = 0; hop < aliasHopsMax && keys.length > 0 && found.size < joinedAdvisoriesMax; hop++) {
    for (const key of keys) searched.add(key);
    const ids = (await listIdsByKeys(db, scope, keys)).filter((id) => !found.has(id));
    const advisories = [...(await findAdvisories(db, scope, ids)).values()];
    // A tenant's own record may have dropped the alias under which the shared one is found.
    const joined = advisories.filter((advisory) => keysOf(advisory).some((key) => searched.has(key)));
    for (const advisory of joined) found.set(advisory.id, advisory);
    keys = [...new Set(joined.flatMap(keysOf))].filter((key) => !searched.has(key));
  }
  return [...found.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
}

function ownersSeenBy({ tenantId }: TenantScope): number[] {
  return [...new Set([sharedTenantId, tenantId])];
}

function keysOf({ id, aliases }: Advisory): string[] {
  return [...new Set([id, ...aliases].map(identifierKey))];
}

function packagesOf({ affected }: Advisory): PackageName[] {
  const named = affected.map(
    ({ ecosystem, name }) => [`${ecosystem} ${name}`, { ecosystem, packageName: name }] as const,
  );
  return [...new Map(named).values()];
}

async function listIdsByKeys(db: Db, scope: TenantScope, keys: readonly string[]): Promise<string[]> {
  const ids = new Set<string>();
  for (const chunk of chunksOf(keys, namesPerQuery)) {
    const rows = await db
      .selectFrom('advisory_identifiers')
      .select('advisory_id')
      .where('tenant_id', 'in', ownersSeenBy(scope))
      .where('identifier_key', 'in', chunk)
      .limit(joinedAdvisoriesMax)
      .execute();
    for (const row of rows) ids.add(row.advisory_id);
  }
  return [...ids];
}

/** The rows come in the order of their ids: two imports of the same records wait for each other instead of deadlocking. */
async function upsertRecords(
  transaction: Db,
  { tenantId }: TenantScope,
  advisories: readonly Advisory[],
): Promise<Set<string>> {
  const saved = new Set<string>();
  const sorted = advisories.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  for (const chunk of chunksOf(sorted, rowsPerInsert)) {
    const values = chunk.map((advisory) => ({
      tenant_id: tenantId,
      id: advisory.id,
      modified: advisory.modified,
      withdrawn: advisory.withdrawn,
      record: JSON.stringify(advisory),
    }));
    const rows = await transaction
      .insertInto('advisories')
      .values(values)
      .onConflict((conflict) =>
        conflict
          .columns(['tenant_id', 'id'])
          .doUpdateSet(({ ref }) => ({
            modified: ref('excluded.modified'),
            withdrawn: ref('excluded.withdrawn'),
            record: ref('excluded.record'),
          }))
          .whereRef('excluded.modified', '>', 'advisories.modified'),
      )
      .returning('id')
      .execute();
    for (const { id } of rows) saved.add(id);
  }
  return saved;
}

/** Also the packages of a shared record that the tenant's new one hides from now on. */
async function listNamedPackages(db: Db, scope: TenantScope, advisoryIds: readonly string[]): Promise<PackageName[]> {
  const named: PackageName[] = [];
  for (const chunk of chunksOf(advisoryIds, namesPerQuery)) {
    const rows = await db
      .selectFrom('advisory_packages')
      .select(['ecosystem', 'package_name'])
      .distinct()
      .where('tenant_id', 'in', ownersSeenBy(scope))
      .where('advisory_id', 'in', chunk)
      .execute();
    named.push(...rows.map((row) => ({ ecosystem: row.ecosystem, packageName: row.package_name })));
  }
  return named;
}

async function insertIdentifiers(
  transaction: Db,
  { tenantId }: TenantScope,
  advisories: readonly Advisory[],
): Promise<void> {
  const rows = advisories.flatMap((advisory) =>
    keysOf(advisory).map((key) => ({ tenant_id: tenantId, identifier_key: key, advisory_id: advisory.id })),
  );
  for (const chunk of chunksOf(rows, rowsPerInsert)) {
    await transaction.insertInto('advisory_identifiers').values(chunk).execute();
  }
}

async function insertPackages(
  transaction: Db,
  { tenantId }: TenantScope,
  advisories: readonly Advisory[],
): Promise<void> {
  const rows = advisories.flatMap((advisory) =>
    packagesOf(advisory).map(({ ecosystem, packageName }) => ({
      tenant_id: tenantId,
      ecosystem,
      package_name: packageName,
      advisory_id: advisory.id,
    })),
  );
  for (const chunk of chunksOf(rows, rowsPerInsert)) {
    await transaction.insertInto('advisory_packages').values(chunk).execute();
  }
}
