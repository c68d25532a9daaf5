import { createHash } from 'node:crypto';
import { chunksOf } from '../database/chunks.ts';
import type { Db } from '../database/database.ts';
import { sharedTenantId } from '../database/schema.ts';
import { type Clock, timestamp } from '../platform/clock.ts';
import type { TenantScope } from '../platform/tenancy.ts';
import type { PatchEntry } from './patch-entry.ts';
import type { ListPatchFacts, PatchFact } from './patch-fact.ts';
import type { PatchSet } from './patch-set.ts';
import type { FindBestPatchSet } from './stored-patch-set.ts';

const namesPerQuery = 500;

/**
 * Writes a set of the tenant, in place of what stood under its key.
 * @returns false when exactly this set is there already
 */
export async function savePatchSet(
  transaction: Db,
  { tenantId }: TenantScope,
  clock: Clock,
  set: PatchSet,
): Promise<boolean> {
  const content = {
    // The one character that PostgreSQL does not store; in JSON it is escaped.
    readme: set.readme?.replaceAll('\0', '\ufffd') ?? null,
    patches: JSON.stringify(set.patches),
    identifiers: JSON.stringify(identifiersOf(set.patches)),
    digest: digestOf(set),
    imported_on: timestamp(clock),
  };
  const { numInsertedOrUpdatedRows } = await transaction
    .insertInto('patch_sets')
    .values({
      tenant_id: tenantId,
      ecosystem: set.ecosystem,
      package_name: set.name,
      package_version: set.version,
      iteration: set.iteration,
      ...content,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['tenant_id', 'ecosystem', 'package_name', 'package_version', 'iteration'])
        .doUpdateSet(content)
        .where('patch_sets.digest', '<>', content.digest),
    )
    .executeTakeFirst();
  return (numInsertedOrUpdatedRows ?? 0n) > 0n;
}

export const findBestPatchSet: FindBestPatchSet = async (db, { tenantId }, wanted) => {
  const row = await db
    .selectFrom('patch_sets')
    .select(['iteration', 'patches', 'digest'])
    .where('tenant_id', 'in', [tenantId, sharedTenantId])
    .where('ecosystem', '=', wanted.ecosystem)
    .where('package_name', '=', wanted.packageName)
    .where('package_version', '=', wanted.originVersion)
    .orderBy('iteration', 'desc')
    .orderBy('tenant_id', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (!row) return null;
  const { ecosystem, packageName, originVersion } = wanted;
  const patches: PatchEntry[] = JSON.parse(row.patches);
  return { ecosystem, packageName, originVersion, iteration: row.iteration, patches, digest: row.digest };
};

export const listPatchFacts: ListPatchFacts = async (db, scope, names) => {
  const facts: PatchFact[] = [];
  for (const [ecosystem, group] of Map.groupBy(names, (name) => name.ecosystem)) {
    const packageNames = [...new Set(group.map(({ packageName }) => packageName))];
    for (const chunk of chunksOf(packageNames, namesPerQuery)) {
      const rows = await selectBest(db, scope, ecosystem, chunk);
      facts.push(
        ...rows.map((row) => ({
          ecosystem,
          packageName: row.package_name,
          originVersion: row.package_version,
          iteration: row.iteration,
          identifiers: JSON.parse(row.identifiers),
          importedOn: row.imported_on,
        })),
      );
    }
  }
  return facts;
};

/** The best set of every version. */
function selectBest(db: Db, { tenantId }: TenantScope, ecosystem: PatchFact['ecosystem'], packageNames: string[]) {
  const ranked = db
    .selectFrom('patch_sets')
    .select(['tenant_id', 'ecosystem', 'package_name', 'package_version', 'iteration'])
    .select(({ fn }) =>
      fn
        .agg<number>('row_number')
        .over((over) =>
          over
            .partitionBy(['package_name', 'package_version'])
            .orderBy('iteration', 'desc')
            .orderBy('tenant_id', 'desc'),
        )
        .as('place'),
    )
    .where('tenant_id', 'in', [tenantId, sharedTenantId])
    .where('ecosystem', '=', ecosystem)
    .where('package_name', 'in', packageNames);
  return db
    .selectFrom(ranked.as('best'))
    .innerJoin('patch_sets as p', (join) =>
      join
        .onRef('p.tenant_id', '=', 'best.tenant_id')
        .onRef('p.ecosystem', '=', 'best.ecosystem')
        .onRef('p.package_name', '=', 'best.package_name')
        .onRef('p.package_version', '=', 'best.package_version')
        .onRef('p.iteration', '=', 'best.iteration'),
    )
    .where('best.place', '=', 1)
    .select(['p.package_name', 'p.package_version', 'p.iteration', 'p.identifiers', 'p.imported_on'])
    .orderBy('p.package_name')
    .orderBy('p.package_version')
    .execute();
}

function identifiersOf(patches: readonly PatchEntry[]): string[] {
  return [...new Set(patches.flatMap(({ identifiers }) => identifiers))];
}

/** The identifiers count too: a later release may read more of them out of the same text. */
function digestOf({ readme, patches }: PatchSet): string {
  const content = patches.map(({ fileName, sequence, text, identifiers }) => [fileName, sequence, text, identifiers]);
  return createHash('sha256')
    .update(JSON.stringify([readme, content]))
    .digest('hex');
}
