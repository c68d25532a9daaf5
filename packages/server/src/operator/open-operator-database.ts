import { existsSync } from 'node:fs';
import { readConfig } from '../config/config.ts';
import { starterCatalogDir } from '../config/starter-catalog-dir.ts';
import type { Database } from '../database/database.ts';
import { openDatabase } from '../database/open.ts';
import { AppError } from '../platform/app-error.ts';
import type { OperatorIo } from './operator-io.ts';

interface Options {
  /** Whether the command may be the first thing that is done with an installation. */
  mayCreate: boolean;
}

/** The database that the service of this environment uses. */
export async function openOperatorDatabase({ env, stderr }: OperatorIo, { mayCreate }: Options): Promise<Database> {
  const { database } = readConfig(env, starterCatalogDir);
  const isNew = database.kind === 'sqlite' && !existsSync(database.file);
  if (isNew && !mayCreate) {
    throw new AppError(
      'not_found',
      `There is no database at ${database.file}; set SEALSMITH_DATA_DIR to the service's.`,
    );
  }
  const opened = await openDatabase(database);
  // From another folder than the service's, the default data folder is another one too.
  if (isNew) stderr.write(`A new database was made at ${database.file}.\n`);
  return opened;
}
