import path from 'node:path';
import type { Database } from './database.ts';
import { openPostgres } from './dialects/postgres.ts';
import { openSqlite } from './dialects/sqlite.ts';
import { migrate } from './migrate.ts';

export type DatabaseConfig = { kind: 'sqlite'; file: string } | { kind: 'postgres'; url: string };

export function sqliteFileIn(dataDir: string): string {
  return path.join(dataDir, 'sealsmith.sqlite');
}

/** Opens the database and brings its schema up to date. */
export async function openDatabase(
  config: DatabaseConfig,
  onIdleError: (error: Error) => void = () => {},
): Promise<Database> {
  const database = config.kind === 'sqlite' ? openSqlite(config.file) : openPostgres(config.url, onIdleError);
  try {
    await migrate(database);
    return database;
  } catch (error) {
    await database[Symbol.asyncDispose]();
    throw error;
  }
}
