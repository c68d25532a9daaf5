import { Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import type { Database, DatabaseCapabilities } from '../database.ts';
import type { Schema } from '../schema.ts';

const connectionsMax = 10;
const int8TypeId = 20;
const uniqueViolation = '23505';
const serializationFailure = '40001';
const deadlock = '40P01';

/** Opens a pool of connections to PostgreSQL 15 or newer; the extensions `pg_trgm` and `btree_gin` must be available. */
export function openPostgres(url: string, onIdleError: (error: Error) => void): Database {
  const pool = new pg.Pool({
    connectionString: url,
    max: connectionsMax,
    connectionTimeoutMillis: 10_000,
    statement_timeout: 60_000,
    types: { getTypeParser: typeParserOf },
  });
  // Without a listener, a connection that breaks while idle would end the process.
  pool.on('error', onIdleError);
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
  return { db, capabilities: postgresCapabilities, [Symbol.asyncDispose]: () => db.destroy() };
}

export const postgresCapabilities: DatabaseCapabilities = {
  textType: sql`text collate "C"`,
  integerType: 'bigint',
  skipLocked: true,
  createClusteredTable: (db, name) =>
    db.schema
      .createTable(name)
      .addColumn('tenant_id', 'bigint', (column) => column.notNull())
      .addColumn('id', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint(`${name}_primary_key`, ['tenant_id', 'id']),
  createRuleTextIndex: async (db) => {
    await sql`create extension if not exists pg_trgm`.execute(db);
    await sql`create extension if not exists btree_gin`.execute(db);
    await sql`create index sealing_rules_project_text on sealing_rules
      using gin (tenant_id, project_folded gin_trgm_ops)`.execute(db);
    await sql`create index sealing_rules_package_text on sealing_rules
      using gin (tenant_id, package_folded gin_trgm_ops)`.execute(db);
  },
  // PostgreSQL stores no NUL, so no column contains one, and a parameter must not hold one.
  contains: (column, text) =>
    text.includes('\0') ? sql<boolean>`false` : sql<boolean>`${column} like ${likePattern(text)} escape '\\'`,
  ruleSource: async () => ({
    from: sql`sealing_rules as r`,
    id: sql<number>`r.id`,
    tenantId: sql<number>`r.tenant_id`,
  }),
  // The columns are indexed themselves.
  addRuleText: async () => {},
  removeRuleText: async () => {},
  isRetryable: (error) => [serializationFailure, deadlock].includes(codeOf(error)),
  isUniqueViolation: (error) => codeOf(error) === uniqueViolation,
};

/** Whole numbers of 64 bits arrive as text; every one that the schema holds stays below 2^53. */
function typeParserOf(typeId: number, format?: 'text' | 'binary') {
  if (typeId === int8TypeId && format !== 'binary') return Number;
  return pg.types.getTypeParser(typeId, format as 'text');
}

function likePattern(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`;
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
