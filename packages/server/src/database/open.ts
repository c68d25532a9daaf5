import path from 'node:path';
import type { Database } from './database.ts';
import { openPostgres } from './dialects/postgres.ts';
import { openSqlite } from './dialects/sqlite.ts';
import { migrate } from './migrate.ts';

export type DatabaseConfig = { kind: 'sqlite'; file: string } | { kind: 'postgres'; url: string };

export function sqliteFileIn(dataDir: string): string {
  return path.join(dataDir, 'sealsmith.sqlite');
}

/** Opens the database and brings its schema up to date. What it throws names the database, without credentials. */
export async function openDatabase(
  config: DatabaseConfig,
  onIdleError: (error: Error) => void = () => {},
): Promise<Database> {
  try {
    return await openCurrent(config, onIdleError);
  } catch (error) {
    throw new Error(`The database ${nameOf(config)} cannot be opened: ${reasonOf(error)}`, { cause: error });
  }
}

async function openCurrent(config: DatabaseConfig, onIdleError: (error: Error) => void): Promise<Database> {
  const database = config.kind === 'sqlite' ? openSqlite(config.file) : openPostgres(config.url, onIdleError);
  try {
    await migrate(database);
    return database;
  } catch (error) {
    await database[Symbol.asyncDispose]();
    throw error;
  }
}

function nameOf(config: DatabaseConfig): string {
  if (config.kind === 'sqlite') return config.file;
  const { host, pathname } = new URL(config.url);
  return `${host}${pathname}`;
}

/** Where a host has several addresses, each has failed by itself and the error as a whole says nothing. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(reasonOf).join('; ');
  return error instanceof Error ? error.message : String(error);
}
