import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { readLockfile } from '../lockfile.ts';
import { shopLock } from '../testing/locks.ts';
import { sampleIntegrity } from '../testing/samples.ts';
import { temporaryFolder } from '../testing/temporary-folder.ts';
import type { SealedEntry } from './plan.ts';
import { writeLockfile } from './write-lockfile.ts';

const entry: SealedEntry = {
  path: 'node_modules/ejs',
  name: 'ejs',
  version: '2.7.4',
  sealedName: 'ejs',
  sealedVersion: '2.7.4-sp1',
  from: { resolved: null, integrity: null },
  to: { resolved: 'http://seal.example/artifacts/npm/ejs/-/ejs-2.7.4-sp1.tgz', integrity: sampleIntegrity('B') },
};

test('a file that does not hold the redirections afterwards is never called sealed', async () => {
  await using folder = await temporaryFolder({ 'package-lock.json': shopLock(3) });
  const lockfile = await readLockfile(folder.path, '.');
  const text = lockfile.text.replace('2.7.0', '2.7.1');
  await expect(writeLockfile(lockfile, text, [entry])).rejects.toThrow(
    'node_modules/ejs does not point to the sealed artifact',
  );
  expect(await readFile(path.join(folder.path, 'package-lock.json'), 'utf8')).toBe(text);
});
