import { Migrator } from 'kysely/migration';
import type { Database } from './database.ts';
import { initialMigration } from './migrations/0001-initial.ts';

/** Runs the migrations that the database has not seen, under Kysely's lock: instances may start together. */
export async function migrate({ db, capabilities }: Database): Promise<void> {
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => ({ '0001-initial': initialMigration(capabilities) }) },
  });
  const { error } = await migrator.migrateToLatest();
  if (error) throw error;
}
