import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readPatchFolder } from './patch-folder.ts';

let root = '';

beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'sealsmith-patches-'));
});

afterEach(() => rm(root, { recursive: true }));

const patchText = (message = 'This patch fixes:\n  CVE-2024-0001\n') => `Subject: [PATCH] Fix

${message}
---
--- a/x.js
+++ b/x.js
@@ -1 +1 @@
-CVE-1999-9999
+two
`;

async function put(relative: string, content: string | Uint8Array = patchText()) {
  const file = path.join(root, relative);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, content);
  return file;
}

async function readAll(folder = root) {
  const found = [];
  for await (const item of readPatchFolder(folder)) found.push(item);
  return found;
}

test('a set is read with its patches in order, its README and the identifiers that the messages name', async () => {
  await put('npm/a/1.0.0/sp2/10000-CVE-2024-0002.patch', patchText('Closes CVE-2024-0002.'));
  await put('npm/a/1.0.0/sp2/9999-CVE-2020-0000-and-more.patch');
  await put('npm/a/1.0.0/sp2/README.md', '# a');
  expect(await readAll()).toEqual([
    {
      ecosystem: 'npm',
      name: 'a',
      version: '1.0.0',
      iteration: 2,
      readme: '# a',
      patches: [
        {
          fileName: '9999-CVE-2020-0000-and-more.patch',
          sequence: 9999,
          text: patchText(),
          identifiers: ['CVE-2024-0001'],
        },
        {
          fileName: '10000-CVE-2024-0002.patch',
          sequence: 10_000,
          text: patchText('Closes CVE-2024-0002.'),
          identifiers: ['CVE-2024-0002'],
        },
      ],
    },
  ]);
});

test('scopes, groups, epochs and the case of the ecosystem are read as each ecosystem spells them', async () => {
  await put('NPM/@acme/b/1.0.0/sp1/0001-x.patch');
  await put('PyPI/Some_Package/1.0/sp1/0001-x.patch');
  await put('maven/org.example/lib/1.0/sp1/0001-x.patch');
  await put('Maven/org/example/other/1.0/sp1/0001-x.patch');
  await put('RPM/bash/1_5.2-3/sp1/0001-x.patch');
  const found = (await readAll()).map((item) => ('problem' in item ? item : [item.ecosystem, item.name, item.version]));
  expect(found).toHaveLength(5);
  expect(found).toEqual(
    expect.arrayContaining([
      ['npm', '@acme/b', '1.0.0'],
      ['pypi', 'some-package', '1.0'],
      ['maven', 'org.example:lib', '1.0'],
      ['maven', 'org.example:other', '1.0'],
      ['rpm', 'bash', '1:5.2-3'],
    ]),
  );
});

test('the ecosystems may lie in a folder "patches"; files beside them are ignored', async () => {
  await put('LICENSE.txt', 'text');
  await put('patches/npm/a/1.0.0/sp1/0001-x.patch');
  expect(await readAll()).toMatchObject([{ name: 'a' }]);
  expect(await readAll(path.join(root, 'patches'))).toMatchObject([{ name: 'a' }]);
});

test('an unknown ecosystem is one problem, and the others are read', async () => {
  await put('NuGet/a/1.0.0/sp1/0001-x.patch');
  await put('NuGet/b/1.0.0/sp1/0001-x.patch');
  await put('npm/a/1.0.0/sp1/0001-x.patch');
  expect(await readAll()).toMatchObject([{ path: 'NuGet', problem: expect.stringContaining('NuGet') }, { name: 'a' }]);
});

test.each([
  ['a patch that does not parse', '0002-x.patch', 'no diff', 'cannot be read'],
  ['a patch that names no vulnerability', '0002-x.patch', patchText('Tidy up'), 'names no vulnerability'],
  ['a patch without a number', 'x.patch', patchText(), 'number'],
  ['two patches of one number', '0001-y.patch', patchText(), 'same number'],
  [
    'a patch that is not UTF-8',
    '0002-x.patch',
    Buffer.concat([Buffer.from(patchText()), Buffer.from([0xff])]),
    'UTF-8',
  ],
])('a set with %s is a problem as a whole', async (_name, fileName, content, words) => {
  await put('npm/a/1.0.0/sp1/0001-x.patch');
  await put(`npm/a/1.0.0/sp1/${fileName}`, content);
  await put('npm/b/1.0.0/sp1/0001-x.patch');
  expect(await readAll()).toMatchObject([
    { path: expect.stringMatching(/^npm\/a\/1\.0\.0\/sp1\//), problem: expect.stringContaining(words) },
    { name: 'b' },
  ]);
});

test.each([
  ['npm/a/1.0.0/sp0/0001-x.patch', 'iteration'],
  ['npm/a/one/sp1/0001-x.patch', 'version'],
  ['npm/a/sp1/0001-x.patch', 'name a package'],
  ['npm/a/b/1.0.0/sp1/0001-x.patch', 'name'],
  ['npm/a/1.0.0/sp1/README.md', 'no patch'],
  ['npm/a/1.0.0/0001-x.patch', 'outside'],
])('%s is a problem', async (relative, words) => {
  await put(relative);
  expect(await readAll()).toMatchObject([{ problem: expect.stringContaining(words) }]);
});

test('links and pipes are not followed', async () => {
  const target = await put('elsewhere.patch');
  await put('npm/a/1.0.0/sp1/README.md', '# a');
  await symlink(target, path.join(root, 'npm/a/1.0.0/sp1/0001-x.patch'));
  await put('npm/b/1.0.0/sp1/README.md', '# b');
  await promisify(execFile)('mkfifo', [path.join(root, 'npm/b/1.0.0/sp1/0001-x.patch')]);
  await symlink(path.join(root, 'npm/a'), path.join(root, 'npm/c'));
  expect(await readAll()).toEqual([
    { path: 'npm/a/1.0.0/sp1/0001-x.patch', problem: 'This is not a plain file.' },
    { path: 'npm/b/1.0.0/sp1/0001-x.patch', problem: 'This is not a plain file.' },
  ]);
});

test('a patch over 10 MiB and a set over 200 patches are problems', async () => {
  await truncate(await put('npm/a/1.0.0/sp1/0001-x.patch'), 10 * 1024 * 1024 + 1);
  for (let index = 1; index <= 201; index += 1) await put(`npm/b/1.0.0/sp1/${String(index).padStart(4, '0')}-x.patch`);
  expect(await readAll()).toMatchObject([
    { problem: expect.stringContaining('larger than') },
    { problem: expect.stringContaining('more than 200 patches') },
  ]);
});

test('a folder that is not there is a problem', async () => {
  expect(await readAll(path.join(root, 'absent'))).toMatchObject([{ problem: expect.stringContaining('no folder') }]);
});
