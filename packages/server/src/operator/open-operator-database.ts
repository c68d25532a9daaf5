import { readConfig } from '../config/config.ts';
import { starterCatalogDir } from '../config/starter-catalog-dir.ts';
import type { Database } from '../database/database.ts';
import { openDatabase } from '../database/open.ts';
import type { OperatorIo } from './operator-io.ts';

/** The database that the service of this environment uses. */
export async function openOperatorDatabase(io: OperatorIo): Promise<Database> {
  return openDatabase(readConfig(io.env, starterCatalogDir).database);
}
