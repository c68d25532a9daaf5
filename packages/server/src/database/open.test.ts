import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from './open.ts';

test('a file that cannot be opened is named', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'sealsmith-open-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = path.join(folder, 'data.sqlite');
  await writeFile(file, 'this is no database, and long enough to be read as one that is damaged '.repeat(20));

  await expect(openDatabase({ kind: 'sqlite', file })).rejects.toThrow(`The database ${file} cannot be opened: `);
});

test('a server that cannot be reached is named with the reason, and without credentials', async () => {
  const opening = openDatabase({ kind: 'postgres', url: 'postgres://seal:hunter2@localhost:1/seal' });

  const error = await opening.then(
    () => null,
    (thrown: Error) => thrown,
  );
  expect(error?.message).toMatch(/^The database localhost:1\/seal cannot be opened: .*ECONNREFUSED/);
  expect(error?.message).not.toContain('hunter2');
});
