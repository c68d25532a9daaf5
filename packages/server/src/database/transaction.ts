import { setTimeout as sleep } from 'node:timers/promises';
import type { Database, Db } from './database.ts';

const attemptsMax = 8;
const backOffMs = 20;

/** Runs `work` in one transaction; what the database gave up for another's sake is run again. Keep it short. */
export async function inTransaction<Result>(
  { db, capabilities }: Database,
  work: (transaction: Db) => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction().execute(work);
    } catch (error) {
      if (attempt === attemptsMax || !capabilities.isRetryable(error)) throw error;
      await sleep(backOffMs * 2 ** attempt);
    }
  }
}
