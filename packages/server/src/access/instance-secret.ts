import { randomBytes } from 'node:crypto';
import type { Db } from '../database/database.ts';

const secretBytes = 32;

/** A random secret that every instance over one database shares; made when it is first asked for. */
export async function readInstanceSecret(db: Db, name: string): Promise<Buffer> {
  const value = randomBytes(secretBytes).toString('base64url');
  await db
    .insertInto('settings')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
  const row = await db.selectFrom('settings').select('value').where('name', '=', name).executeTakeFirstOrThrow();
  return Buffer.from(row.value, 'base64url');
}
