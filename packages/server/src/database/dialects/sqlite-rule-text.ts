import { type Kysely, sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import type { Db, RuleIdRange, RuleSource, RuleTextFilters } from '../database.ts';

const trigramLength = 3;
/** The rarest ones leave few rows, which are then compared by their text. */
const trigramsPerSearch = 3;
const trigramsWeighedMax = 64;
/** Postings that are counted to tell a rare trigram from a frequent one. */
const countedMax = 1_000;
const rareEnough = 20;

/**
 * The text index holds trigrams without positions: it is small, and it answers "may contain". Rule ids start with the
 * tenant, so that a range of ids confines a search to the postings of one tenant, in the order of the list.
 */
export async function createSqliteRuleText(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `create virtual table sealing_rule_text using fts5(
     project_folded, package_folded,
     content = 'sealing_rules', content_rowid = 'id', detail = column, tokenize = 'trigram case_sensitive 1')`,
  `create trigger sealing_rule_text_insert after insert on sealing_rules begin
     insert into sealing_rule_text (rowid, project_folded, package_folded)
     values (new.id, new.project_folded, new.package_folded);
   end`,
  `create trigger sealing_rule_text_delete after delete on sealing_rules begin
     insert into sealing_rule_text (sealing_rule_text, rowid, project_folded, package_folded)
     values ('delete', old.id, old.project_folded, old.package_folded);
   end`,
  `create trigger sealing_rule_text_update after update of project_folded, package_folded on sealing_rules begin
     insert into sealing_rule_text (sealing_rule_text, rowid, project_folded, package_folded)
     values ('delete', old.id, old.project_folded, old.package_folded);
     insert into sealing_rule_text (rowid, project_folded, package_folded)
     values (new.id, new.project_folded, new.package_folded);
   end`,
];

/** Reads by the text index where a filter is long enough for it, else the rules themselves. */
export async function sqliteRuleSource(db: Db, ids: RuleIdRange, filters: RuleTextFilters): Promise<RuleSource> {
  const terms = Object.entries(filters).flatMap(([column, text]) =>
    trigramsOf(text).map((trigram) => term(column, trigram)),
  );
  // The plus keeps the planner from an index on the tenant: the range of ids is the tenant, in the order of the list.
  const tenantId = sql<number>`+r.tenant_id`;
  if (terms.length === 0) return { from: sql`sealing_rules as r`, id: sql<number>`r.id`, tenantId };
  const match = (await rarest(db, ids, terms)).join(' AND ');
  return {
    from: sql`sealing_rule_text(${match}) as t cross join sealing_rules as r on r.id = t.rowid`,
    id: sql<number>`t.rowid`,
    tenantId,
  };
}

function trigramsOf(text: string): string[] {
  const characters = [...text];
  const trigrams = new Set<string>();
  for (let start = 0; start + trigramLength <= characters.length; start++) {
    trigrams.add(characters.slice(start, start + trigramLength).join(''));
  }
  return [...trigrams];
}

function term(column: string, trigram: string): string {
  return `${column} : "${trigram.replaceAll('"', '""')}"`;
}

/** How often terms occur, by id range; only weighs which to search by, so that it may be old. */
const weights = new LRUCache<string, number>({ max: 20_000, ttl: 60_000 });

async function rarest(db: Db, ids: RuleIdRange, terms: string[]): Promise<string[]> {
  const weighed: { term: string; weight: number }[] = [];
  for (const candidate of terms.slice(0, trigramsWeighedMax)) {
    const weight = await weigh(db, ids, candidate);
    weighed.push({ term: candidate, weight });
    if (weight <= rareEnough) break;
  }
  const ascending = weighed.sort((a, b) => a.weight - b.weight);
  return ascending.slice(0, trigramsPerSearch).map(({ term: rare }) => rare);
}

async function weigh(db: Db, { last }: RuleIdRange, match: string): Promise<number> {
  const key = `${last} ${match}`;
  const known = weights.get(key);
  if (known !== undefined) return known;
  const first = last - 2 ** 32;
  const { rows } = await sql<{ weight: number }>`select count(*) as weight from (
    select 1 from sealing_rule_text(${match}) where rowid > ${first} and rowid <= ${last} limit ${countedMax})`.execute(
    db,
  );
  const weight = rows[0]?.weight ?? 0;
  weights.set(key, weight);
  return weight;
}
