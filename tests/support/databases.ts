import { describe, inject } from 'vitest';
import type { Database } from '../../packages/server/src/database/database.ts';
import { type DatabaseConfig, openDatabase } from '../../packages/server/src/database/open.ts';
import { createDatabase } from './postgres-server.ts';

/** Configurations of fresh databases: one of each kind that the service supports. */
export const databaseKinds: { kind: string; createConfig(): Promise<DatabaseConfig> }[] = [
  { kind: 'SQLite', createConfig: async () => ({ kind: 'sqlite', file: ':memory:' }) },
  {
    kind: 'PostgreSQL',
    createConfig: async () => ({ kind: 'postgres', url: await createDatabase(inject('postgresBaseUrl')) }),
  },
];

/** Declares the same tests over every database; `open` makes a fresh one with the current schema. */
export function describeOnEveryDatabase(name: string, declare: (open: () => Promise<Database>) => void): void {
  for (const { kind, createConfig } of databaseKinds) {
    describe(`${name} on ${kind}`, () => declare(async () => openDatabase(await createConfig())));
  }
}
