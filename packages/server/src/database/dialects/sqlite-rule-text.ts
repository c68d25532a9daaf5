import { type Kysely, type RawBuilder, sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import { chunksOf } from '../chunks.ts';
import type { Db, RuleIdRange, RuleSource, RuleTextFilters, RuleTextRow } from '../database.ts';

const trigramLength = 3;
/** The rarest ones leave few rows, which are then compared by their text. */
const trigramsPerSearch = 3;
const sampledRules = 400;
const sampledTenantsMax = 100;
/** Terms seen less often in a sample count as rare, and a sample keeps the others only. */
const frequentFrom = 2;
const sampleTtlMs = 5 * 60_000;
const rowsPerInsert = 200;

type TextColumn = keyof RuleTextFilters;
const textColumns = ['project_folded', 'package_folded'] as const satisfies readonly TextColumn[];
const columnMarks: Record<TextColumn, string> = { project_folded: 'p', package_folded: 'n' };

/**
 * The index behind substring search: which rules of a tenant have a trigram. FTS5 holds a term for each trigram of each
 * column **of each tenant**, so that a search reads the postings of its own tenant alone, in the order of the list, and
 * other tenants' names cost it nothing. It has no positions and answers "may contain" only.
 */
export async function createSqliteRuleText(db: Kysely<unknown>): Promise<void> {
  await sql`create virtual table sealing_rule_text using fts5(
    terms, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii')`.execute(db);
}

/** Adds rules to the index, in the transaction that inserts them. */
export async function addToSqliteRuleText(db: Db, rows: readonly RuleTextRow[]): Promise<void> {
  for (const chunk of chunksOf(rows, rowsPerInsert)) {
    const values = chunk.map((row) => sql`(${row.id}, ${termsOf(row).join(' ')})`);
    await sql`insert into sealing_rule_text (rowid, terms) values ${sql.join(values)}`.execute(db);
  }
}

export async function removeFromSqliteRuleText(db: Db, id: number): Promise<void> {
  await sql`delete from sealing_rule_text where rowid = ${id}`.execute(db);
}

/** Reads by the index where a filter is long enough for it, else the rules themselves. */
export async function sqliteRuleSource(
  db: Db,
  tenantId: number,
  ids: RuleIdRange,
  filters: RuleTextFilters,
): Promise<RuleSource> {
  const terms = await chooseTerms(db, tenantId, ids, filters);
  // The plus keeps the planner from an index on the tenant: the range of ids is the tenant, in the order of the list.
  const tenant = sql<number>`+r.tenant_id`;
  if (terms.length === 0) return { from: sql`sealing_rules as r`, id: sql<number>`r.id`, tenantId: tenant };
  return { from: searchFor(terms), id: sql<number>`t.rowid`, tenantId: tenant };
}

function searchFor(terms: readonly string[]): RawBuilder<unknown> {
  const match = terms.map((term) => `"${term}"`).join(' AND ');
  return sql`sealing_rule_text(${match}) as t cross join sealing_rules as r on r.id = t.rowid`;
}

function termsOf(row: RuleTextRow): string[] {
  return textColumns.flatMap((column) =>
    trigramsOf(row[column] ?? '').map((trigram) => termOf(row.tenant_id, column, trigram)),
  );
}

/** Letters and digits only, which the tokenizer takes for one word: the tenant, the column, the trigram in hex. */
function termOf(tenantId: number, column: TextColumn, trigram: string): string {
  return `${tenantId}${columnMarks[column]}${Buffer.from(trigram).toString('hex')}`;
}

function trigramsOf(text: string): string[] {
  const characters = [...text];
  const trigrams = new Set<string>();
  for (let start = 0; start + trigramLength <= characters.length; start++) {
    trigrams.add(characters.slice(start, start + trigramLength).join(''));
  }
  return [...trigrams];
}

interface Trigram {
  column: TextColumn;
  /** Its place among the trigrams of the filter, which tells whether two overlap. */
  start: number;
  term: string;
}

async function chooseTerms(db: Db, tenantId: number, ids: RuleIdRange, filters: RuleTextFilters): Promise<string[]> {
  const wanted = textColumns.flatMap((column) =>
    trigramsOf(filters[column] ?? '').map(
      (text, start): Trigram => ({ column, start, term: termOf(tenantId, column, text) }),
    ),
  );
  if (wanted.length <= trigramsPerSearch) return wanted.map(({ term }) => term);
  const frequencies = await sampleFrequencies(db, tenantId, ids);
  const frequencyOf = ({ term }: Trigram) => frequencies.get(term) ?? 0;
  const rarestFirst = wanted.toSorted((a, b) => frequencyOf(a) - frequencyOf(b));
  // Trigrams that overlap occur together anyway: one that shares no letter with those chosen narrows the search further.
  const apart: Trigram[] = [];
  for (const trigram of rarestFirst) if (!apart.some((chosen) => overlaps(chosen, trigram))) apart.push(trigram);
  return [...new Set([...apart, ...rarestFirst])].slice(0, trigramsPerSearch).map(({ term }) => term);
}

function overlaps(one: Trigram, other: Trigram): boolean {
  return one.column === other.column && Math.abs(one.start - other.start) < trigramLength;
}

/** How often terms occur in a sample of a tenant's rules; it only chooses what to search by, so it may be old. */
const samples = new LRUCache<string, Map<string, number>>({ max: sampledTenantsMax, ttl: sampleTtlMs });

async function sampleFrequencies(db: Db, tenantId: number, { first, last }: RuleIdRange): Promise<Map<string, number>> {
  const known = samples.get(String(tenantId));
  if (known) return known;
  const { rows } = await sql<RuleTextRow>`
    with newest(id) as (select max(id) from sealing_rules where id between ${first} and ${last}),
    step(number) as (select 0 union all select number + 1 from step where number < ${sampledRules - 1})
    select r.id, r.tenant_id, r.project_folded, r.package_folded from newest cross join step
    cross join sealing_rules as r on r.id = ${first} + (newest.id - ${first}) * step.number / ${sampledRules}`.execute(
    db,
  );
  const frequencies = new Map<string, number>();
  for (const term of rows.flatMap(termsOf)) frequencies.set(term, (frequencies.get(term) ?? 0) + 1);
  const frequent = new Map([...frequencies].filter(([, count]) => count >= frequentFrom));
  samples.set(String(tenantId), frequent);
  return frequent;
}
