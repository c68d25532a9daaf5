import { CompiledQuery } from 'kysely';
import type { Db } from './database.ts';

interface Compilable<Row> {
  compile(): CompiledQuery<Row>;
}

/**
 * Builds and compiles a query once, for paths where that would be most of the work.
 * `query` is the query with any values in place of its parameters, in the order in which the result takes them.
 */
export function prepareQuery<Row>(db: Db, query: Compilable<Row>): (parameters: readonly unknown[]) => Promise<Row[]> {
  const { sql } = query.compile();
  return async (parameters) => (await db.executeQuery<Row>(CompiledQuery.raw(sql, [...parameters]))).rows;
}
