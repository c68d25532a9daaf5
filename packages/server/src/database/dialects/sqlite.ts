import { mkdirSync } from 'node:fs';
import path from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { Kysely, type SqliteStatement, SqliteDialect, sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import type { Database, DatabaseCapabilities, RuleTextFilters } from '../database.ts';
import type { Schema } from '../schema.ts';

const preparedStatementsMax = 500;
const busyTimeoutMs = 10_000;
/** Negative: KiB of page cache. */
const pageCacheKib = -32_768;
const trigramLength = 3;

/** Opens (and makes) the database file; several processes of one machine may hold it open. */
export function openSqlite(file: string): Database {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  const connection = new BetterSqlite3(file);
  connection.pragma('journal_mode = WAL');
  // FULL: an acknowledged write survives a power cut, not only the end of the process.
  connection.pragma('synchronous = FULL');
  connection.pragma('foreign_keys = ON');
  connection.pragma(`busy_timeout = ${busyTimeoutMs}`);
  connection.pragma(`cache_size = ${pageCacheKib}`);
  connection.pragma('journal_size_limit = 67108864');
  const db = new Kysely<Schema>({ dialect: new SqliteDialect({ database: withPreparedStatements(connection) }) });
  return { db, capabilities: sqliteCapabilities, [Symbol.asyncDispose]: () => db.destroy() };
}

export const sqliteCapabilities: DatabaseCapabilities = {
  textType: 'text',
  integerType: 'integer',
  skipLocked: false,
  // The only key by which SQLite clusters rows without a second look-up is a single integer.
  createClusteredTable: (db, name) =>
    db.schema
      .createTable(name)
      .addColumn('tenant_id', 'integer', (column) => column.notNull())
      .addColumn('id', 'integer', (column) => column.primaryKey().notNull()),
  createRuleTextIndex: async (db) => {
    for (const statement of ruleTextIndex) await sql.raw(statement).execute(db);
  },
  contains: (column, text) => sql<boolean>`instr(${column}, ${text}) > 0`,
  ruleSource: (filters) => {
    const match = trigramMatch(filters);
    if (match === null) return { from: sql`sealing_rules as r`, id: sql<number>`r.id` };
    return {
      from: sql`sealing_rule_text(${match}) as t cross join sealing_rules as r on r.id = t.rowid`,
      id: sql<number>`t.rowid`,
    };
  },
  isRetryable: (error) => codeOf(error).startsWith('SQLITE_BUSY'),
  isUniqueViolation: (error) => ['SQLITE_CONSTRAINT_UNIQUE', 'SQLITE_CONSTRAINT_PRIMARYKEY'].includes(codeOf(error)),
};

/**
 * The text index holds trigrams without positions: small, and it answers "may contain". Rule ids start with the tenant,
 * so that a range of ids confines a search to the postings of one tenant.
 */
const ruleTextIndex = [
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

/** null when no filter is long enough for the index to narrow anything. */
function trigramMatch(filters: RuleTextFilters): string | null {
  const clauses = Object.entries(filters).flatMap(([column, text]) =>
    trigramsOf(text ?? '').map((trigram) => `${column} : "${trigram.replaceAll('"', '""')}"`),
  );
  return clauses.length === 0 ? null : clauses.join(' AND ');
}

function trigramsOf(text: string): string[] {
  const characters = [...text];
  const trigrams = new Set<string>();
  for (let start = 0; start + trigramLength <= characters.length; start++) {
    trigrams.add(characters.slice(start, start + trigramLength).join(''));
  }
  return [...trigrams].slice(0, trigramsPerFilterMax);
}

/** Enough to be selective; what remains is decided by comparing the text itself. */
const trigramsPerFilterMax = 16;

/** Kysely prepares each statement anew; the same text is prepared once here and kept. */
function withPreparedStatements(connection: BetterSqlite3.Database) {
  const statements = new LRUCache<string, SqliteStatement>({ max: preparedStatementsMax });
  return {
    close: () => {
      statements.clear();
      connection.close();
    },
    prepare: (text: string): SqliteStatement => {
      const known = statements.get(text);
      if (known) return known;
      // A transaction takes the write lock when it begins: one that turned from reader to writer could not be retried.
      const prepared = connection.prepare(text === 'begin' ? 'begin immediate' : text) as unknown as SqliteStatement;
      statements.set(text, prepared);
      return prepared;
    },
  };
}

function codeOf(error: unknown): string {
  return error instanceof BetterSqlite3.SqliteError ? error.code : '';
}
