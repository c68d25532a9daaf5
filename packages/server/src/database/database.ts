import type { CreateTableBuilder, Expression, Kysely, RawBuilder, SqlBool } from 'kysely';
import type { Schema } from './schema.ts';

export type Db = Kysely<Schema>;

/** What differs between the databases; a new one is added by writing these. */
export interface DatabaseCapabilities {
  /** Column type of text that is compared and ordered by code point. */
  textType: 'text' | RawBuilder<unknown>;
  /** Column type of a whole number up to 2^53. */
  integerType: 'integer' | 'bigint';
  /** Starts a table whose rows lie in the order of (`tenant_id`, `id`), `id` being unique by itself. */
  createClusteredTable(db: Kysely<unknown>, name: string): CreateTableBuilder<string, string>;
  /** Statements that make the index behind substring search on `sealing_rules`. */
  createRuleTextIndex(db: Kysely<unknown>): Promise<void>;
  /** `column` contains `text`; `%` and `_` are plain characters. */
  contains(column: RawBuilder<unknown> | Expression<unknown>, text: string): Expression<SqlBool>;
  /** Where rules that may match the filters are read from, in ascending order of {@link RuleSource.id}. */
  ruleSource(db: Db, tenantId: number, ids: RuleIdRange, filters: RuleTextFilters): Promise<RuleSource>;
  /** Keeps what {@link ruleSource} reads by in step with new rules; nothing where the database does so by itself. */
  addRuleText(db: Db, rows: readonly RuleTextRow[]): Promise<void>;
  removeRuleText(db: Db, id: number): Promise<void>;
  /** Rows that a claim skips because another worker holds them, where that exists. */
  skipLocked: boolean;
  /** Whether an error says that the transaction may succeed when it is run again. */
  isRetryable(error: unknown): boolean;
  isUniqueViolation(error: unknown): boolean;
}

/** The ids that a tenant's rules can have, both included. */
export interface RuleIdRange {
  first: number;
  last: number;
}

/** What of a rule can be searched. */
export interface RuleTextRow {
  tenant_id: number;
  id: number;
  project_folded: string | null;
  package_folded: string | null;
}

/** The folded text that a column must contain; absent where there is no such filter. */
export interface RuleTextFilters {
  project_folded?: string;
  package_folded?: string;
}

/** A FROM expression that calls the table `r`, and how its columns are written so that the right index is taken. */
export interface RuleSource {
  from: RawBuilder<unknown>;
  id: RawBuilder<number>;
  tenantId: RawBuilder<number>;
}

export interface Database extends AsyncDisposable {
  db: Db;
  capabilities: DatabaseCapabilities;
}
