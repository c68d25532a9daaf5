import path from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { expect, inject, test } from 'vitest';
import { createDatabase } from '../support/postgres-server.ts';
import { crashAgainAndAgain } from './crash-run.ts';

const timeoutMs = 900_000;

test.concurrent(
  '100 kills during writes and builds lose no acknowledged write and publish nothing half, on SQLite',
  async () => {
    const counts = await crashAgainAndAgain({ kills: 100, seed: 20_261_121, inspect: checkSqlite });
    expect(counts.acknowledged).toBeGreaterThan(300);
    expect(counts.artifacts).toBeGreaterThan(30);
    report('SQLite', counts);
  },
  timeoutMs,
);

test.concurrent(
  '10 kills during writes and builds lose no acknowledged write and publish nothing half, on PostgreSQL',
  async () => {
    const databaseUrl = await createDatabase(inject('postgresBaseUrl'));
    const counts = await crashAgainAndAgain({ kills: 10, seed: 20_261_121, databaseUrl });
    expect(counts.acknowledged).toBeGreaterThan(20);
    expect(counts.artifacts).toBeGreaterThan(3);
    report('PostgreSQL', counts);
  },
  timeoutMs,
);

async function checkSqlite(dataDir: string): Promise<void> {
  const database = new BetterSqlite3(path.join(dataDir, 'sealsmith.sqlite'), { readonly: true });
  try {
    expect(database.pragma('integrity_check', { simple: true })).toBe('ok');
    expect(database.pragma('foreign_key_check')).toEqual([]);
  } finally {
    database.close();
  }
}

function report(database: string, counts: Record<string, number>): void {
  const said = Object.entries(counts).map(([name, count]) => `${name} ${count}`);
  // biome-ignore lint/suspicious/noConsole: the counts are the result that a reader of the run wants to see.
  console.log(`${database}: ${said.join(', ')}`);
}
