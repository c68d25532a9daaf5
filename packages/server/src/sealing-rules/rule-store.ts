import { type Selectable, sql } from 'kysely';
import { chunksOf } from '../database/chunks.ts';
import type { Database, DatabaseCapabilities, Db, RuleTextFilters } from '../database/database.ts';
import type { SealingRulesTable } from '../database/schema.ts';
import { type Clock, timestamp } from '../platform/clock.ts';
import type { TenantScope } from '../platform/tenancy.ts';
import { packageKey } from './package-key.ts';
import type { Rule, RuleKey, StoredRule } from './rule.ts';
import type { RuleFilter } from './rule-filter.ts';
import { fromRow, idRange, toRow } from './rule-row.ts';

const namesPerQuery = 500;

export interface RulePageRequest {
  project: RuleFilter;
  package: RuleFilter;
  /** The `next` of the page before; null for the first page. */
  from: number | null;
  limit: number;
}

export interface RulePage {
  /** Wire objects, ascending by creation: a JSON array. */
  items: string;
  /** Id with which the next page starts; null when there is none. */
  next: number | null;
}

/** A line break stands in no JSON text but between its values, so that the last text can be told from the others. */
const separator = ',\n';

/**
 * One page of the tenant's rules, as the JSON that was stored with them. The database joins the texts, in the order in
 * which the subquery hands them on: a page is one value, not hundreds that each have to be taken over. The limit is
 * part of the query's text: SQLite takes half as long again for a page whose size it does not know beforehand.
 */
export async function listRules(
  { db, capabilities }: Database,
  { tenantId }: TenantScope,
  { project, package: packageFilter, from, limit }: RulePageRequest,
): Promise<RulePage> {
  const ids = idRange(tenantId);
  const source = await capabilities.ruleSource(db, tenantId, ids, textFilters(project, packageFilter));
  const contains = capabilities.contains;
  const { rows } = await sql<{ count: number; highest: number | null; items: string | null }>`
    select count(*) as count, max(page.id) as highest, string_agg(page.wire, ${separator}) as items from (
      select r.id, r.wire from ${source.from}
      where ${source.tenantId} = ${tenantId} and ${source.id} >= ${from ?? ids.first} and ${source.id} <= ${ids.last}
      ${condition(project, 'project_name', 'project_folded', contains)}
      ${condition(packageFilter, 'package_name', 'package_folded', contains)}
      order by ${source.id} limit ${sql.lit(limit + 1)}) as page`.execute(db);
  const [{ count, highest, items }] = rows as [(typeof rows)[number]];
  if (items === null) return { items: '[]', next: null };
  if (count <= limit) return { items: `[${items}]`, next: null };
  return { items: `[${items.slice(0, items.lastIndexOf(separator))}]`, next: highest };
}

function textFilters(project: RuleFilter, packageFilter: RuleFilter): RuleTextFilters {
  return {
    ...(project.kind === 'contains' && { project_folded: project.foldedText }),
    ...(packageFilter.kind === 'contains' && { package_folded: packageFilter.foldedText }),
  };
}

function condition(filter: RuleFilter, name: string, folded: string, contains: Database['capabilities']['contains']) {
  if (filter.kind === 'all') return sql``;
  if (filter.kind === 'any-only') return sql`and ${sql.ref(`r.${name}`)} is null`;
  // A short text on a long list still finds its page early; null, the whole tenant or every package, contains nothing.
  return sql`and ${contains(sql.ref(`r.${folded}`), filter.foldedText)}`;
}

/**
 * Adds a rule.
 * @returns the stored rule; null when the tenant has one with the same key
 */
export async function insertRule(
  transaction: Db,
  scope: TenantScope,
  { clock, capabilities }: { clock: Clock; capabilities: DatabaseCapabilities },
  rule: Rule,
): Promise<StoredRule | null> {
  // The counter's row lock holds until the end of the transaction: ids become visible in their order, so that a rule
  // made while a client pages is neither skipped nor repeated.
  const { rule_counter } = await transaction
    .updateTable('tenants')
    .set({ rule_counter: sql<number>`rule_counter + 1` })
    .where('id', '=', scope.tenantId)
    .returning('rule_counter')
    .executeTakeFirstOrThrow();
  if (await findRuleTime(transaction, scope, rule)) return null;
  const createdOn = await nextCreationTime(transaction, scope, clock);
  const stored = { ...rule, createdOn };
  const row = { ...toRow(scope, stored), id: idRange(scope.tenantId).first - 1 + rule_counter };
  await transaction.insertInto('sealing_rules').values(row).execute();
  await capabilities.addRuleText(transaction, [row]);
  return stored;
}

/** Gives the rule of the same key another outcome; its place in the list stays. @returns null when there is none */
export async function replaceRule(transaction: Db, scope: TenantScope, rule: Rule): Promise<StoredRule | null> {
  const createdOn = await findRuleTime(transaction, scope, rule);
  if (createdOn === null) return null;
  const stored = { ...rule, createdOn };
  const { sealed_name, outcome, pinned_version, wire } = toRow(scope, stored);
  await transaction
    .updateTable('sealing_rules')
    .set({ sealed_name, outcome, pinned_version, wire })
    .where(keyCondition(scope, rule))
    .execute();
  return stored;
}

/** @returns whether there was such a rule */
export async function deleteRule(
  transaction: Db,
  scope: TenantScope,
  capabilities: DatabaseCapabilities,
  key: RuleKey,
): Promise<boolean> {
  const deleted = await transaction
    .deleteFrom('sealing_rules')
    .where(keyCondition(scope, key))
    .returning('id')
    .executeTakeFirst();
  if (deleted) await capabilities.removeRuleText(transaction, deleted.id);
  return deleted !== undefined;
}

/** The rules that may concern packages of these names in these projects: for every package, or with a name like theirs. */
export async function findCandidateRules(
  db: Db,
  { tenantId }: TenantScope,
  { projectNames, packageNames }: { projectNames: readonly string[]; packageNames: readonly string[] },
): Promise<StoredRule[]> {
  const rows: Selectable<SealingRulesTable>[] = [];
  const projects = new Set(projectNames);
  const collect = async (withKey: ReturnType<typeof selectRules>) => {
    // A rule of another project is left out here where the projects are too many for one query.
    const found = await (projects.size > namesPerQuery ? withKey : ofProjects(withKey, [...projects])).execute();
    rows.push(...found.filter((row) => row.project_name === null || projects.has(row.project_name)));
  };
  await collect(selectRules(db, tenantId).where('package_key', 'is', null));
  for (const keys of chunksOf([...new Set(packageNames.map(packageKey))], namesPerQuery)) {
    await collect(selectRules(db, tenantId).where('package_key', 'in', keys));
  }
  return rows.map(fromRow);
}

function selectRules(db: Db, tenantId: number) {
  return db.selectFrom('sealing_rules').selectAll().where('tenant_id', '=', tenantId).orderBy('id');
}

function ofProjects(query: ReturnType<typeof selectRules>, projectNames: string[]) {
  return query.where(({ eb, or }) => or([eb('project_name', 'is', null), eb('project_name', 'in', projectNames)]));
}

/** When the rule of this key was created; null when there is none. */
async function findRuleTime(db: Db, scope: TenantScope, key: RuleKey): Promise<string | null> {
  const query = db.selectFrom('sealing_rules').select('created_on').where(keyCondition(scope, key));
  return (await query.executeTakeFirst())?.created_on ?? null;
}

/** Never before the rule created last, whatever the clock does: the order of ids is the order of `created_on`. */
async function nextCreationTime(transaction: Db, { tenantId }: TenantScope, clock: Clock): Promise<string> {
  const { first, last } = idRange(tenantId);
  const newest = await transaction
    .selectFrom('sealing_rules')
    .select('created_on')
    .where('id', '>=', first)
    .where('id', '<=', last)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  const now = timestamp(clock);
  return newest && newest.created_on > now ? newest.created_on : now;
}

/** Written as the unique index `sealing_rules_key` is. */
function keyCondition({ tenantId }: TenantScope, { scope, subject }: RuleKey) {
  const named = subject.kind === 'package-version';
  return sql<boolean>`tenant_id = ${tenantId}
    and coalesce(package_name, '') = ${named ? subject.packageName : ''}
    and coalesce(package_version, '') = ${named ? subject.packageVersion : ''}
    and coalesce(project_name, '') = ${scope.kind === 'project' ? scope.projectName : ''}`;
}
