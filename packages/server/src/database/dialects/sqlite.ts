import { mkdirSync } from 'node:fs';
import path from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { Kysely, SqliteDialect, type SqliteStatement, sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import type { Database, DatabaseCapabilities } from '../database.ts';
import type { Schema } from '../schema.ts';
import {
  addToSqliteRuleText,
  createSqliteRuleText,
  removeFromSqliteRuleText,
  sqliteRuleSource,
} from './sqlite-rule-text.ts';

const preparedStatementsMax = 500;
/** SQLite waits on the only thread there is: not for long, since a transaction is tried again without blocking. */
const busyTimeoutMs = 1_000;
/** Negative: KiB of page cache. */
const pageCacheKib = -16_384;

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
  createRuleTextIndex: createSqliteRuleText,
  contains: (column, text) => sql<boolean>`instr(${column}, ${text}) > 0`,
  ruleSource: sqliteRuleSource,
  addRuleText: addToSqliteRuleText,
  removeRuleText: removeFromSqliteRuleText,
  isRetryable: (error) => codeOf(error).startsWith('SQLITE_BUSY'),
  isUniqueViolation: (error) => ['SQLITE_CONSTRAINT_UNIQUE', 'SQLITE_CONSTRAINT_PRIMARYKEY'].includes(codeOf(error)),
};

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
