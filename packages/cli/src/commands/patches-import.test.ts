import type { WirePatchSet } from '@sealsmith/contract';
import { patchSetSchema } from '@sealsmith/contract';
import { describe, expect, test } from 'vitest';
import { startContractServer } from '../testing/contract-server.ts';
import { run } from '../testing/run.ts';
import { temporaryFolder } from '../testing/temporary-folder.ts';

const clean = { imported: 1, unchanged: 0, skipped: 0, problems: [] };
const patch = 'From 0\nSubject: CVE-2022-29078\n';

async function setsOf(files: Record<string, string>): Promise<WirePatchSet[]> {
  await using folder = await temporaryFolder(files);
  await using server = await startContractServer({ importPatches: () => ({ status: 200, body: clean }) });
  await run(['patches', 'import', folder.path], { url: server.url });
  return server.received.flatMap(({ body }) => (body as { patch_sets: WirePatchSet[] }).patch_sets);
}

describe('a folder of patches', () => {
  test('a set has its patches in order, its readme, and what the path says', async () => {
    const files = {
      'NPM/ejs/2.7.4/sp2/0002-CVE-2024-33883.patch': `${patch}\r\n`,
      'NPM/ejs/2.7.4/sp2/0001-CVE-2022-29078.patch': patch,
      'NPM/ejs/2.7.4/sp2/README.md': '# ejs\n',
      'NPM/ejs/2.7.4/sp2/notes.txt': 'not sent',
    };
    const expected = {
      ecosystem: 'NPM',
      package_name: 'ejs',
      package_version: '2.7.4',
      iteration: 2,
      readme: '# ejs\n',
      patches: [
        { file_name: '0001-CVE-2022-29078.patch', text: patch },
        { file_name: '0002-CVE-2024-33883.patch', text: `${patch}\r\n` },
      ],
    };
    expect(await setsOf(files)).toEqual([expected]);
    expect(patchSetSchema.safeParse(expected).success).toBe(true);
  });

  test.each([
    ['npm/@sideway/formula/3.0.0/sp1', 'NPM', '@sideway/formula', '3.0.0'],
    ['patches/PyPI/Jinja2/2.0/sp1', 'PyPI', 'Jinja2', '2.0'],
    ['Maven/org/apache/commons/commons-text/1.9/sp1', 'Maven', 'org.apache.commons:commons-text', '1.9'],
    ['Maven/org.apache.commons/commons-text/1.9/sp1', 'Maven', 'org.apache.commons:commons-text', '1.9'],
    ['RPM/openssl/1_1.1.1k-5.el8/sp1', 'RPM', 'openssl', '1:1.1.1k-5.el8'],
    ['DEB/openssl/1_1.1/sp1', 'DEB', 'openssl', '1_1.1'],
  ])('%s', async (folder, ecosystem, package_name, package_version) => {
    const sets = await setsOf({ [`${folder}/0001-CVE-1.patch`]: patch });
    expect(sets).toMatchObject([{ ecosystem, package_name, package_version, iteration: 1, readme: null }]);
  });

  test('at most 50 sets travel together', async () => {
    const names = Array.from({ length: 51 }, (_, index) => `npm/p${index}/1.0.0/sp1/0001-CVE-1.patch`);
    await using folder = await temporaryFolder(Object.fromEntries(names.map((name) => [name, patch])));
    await using server = await startContractServer({ importPatches: () => ({ status: 200, body: clean }) });
    const { stdout } = await run(['patches', 'import', folder.path], { url: server.url });
    expect(stdout).toBe('2 imported, 0 unchanged, 0 skipped\n');
    expect(server.received.map(({ body }) => (body as { patch_sets: unknown[] }).patch_sets.length)).toEqual([50, 1]);
  });

  test('at most 20 MiB travel together', async () => {
    const large = 'x'.repeat(8 * 1024 * 1024);
    const names = ['a', 'b', 'c'].map((name) => `npm/${name}/1.0.0/sp1/0001-CVE-1.patch`);
    await using folder = await temporaryFolder(Object.fromEntries(names.map((name) => [name, large])));
    await using server = await startContractServer({ importPatches: () => ({ status: 200, body: clean }) });
    await run(['patches', 'import', folder.path], { url: server.url });
    expect(server.received.map(({ body }) => (body as { patch_sets: unknown[] }).patch_sets.length)).toEqual([2, 1]);
  });

  test('every problem is named by its place, those of the service too: exit code 1', async () => {
    await using folder = await temporaryFolder({
      'gem/rake/1.0.0/sp1/0001-CVE-1.patch': patch,
      'npm/0001-CVE-1.patch': patch,
      'npm/ejs/2.7.4/sp0/0001-CVE-1.patch': patch,
      'npm/ejs/2.7.4/sp1/0001-CVE-1.patch': patch,
      'npm/ini/1.0.0/sp1/0001-CVE-1.patch': Buffer.from([0xff]),
      'npm/qs/6.5.2/sp1/0001-CVE-1.patch': patch,
    });
    const problems = [{ name: 'patch_sets.1.patches.0.text', reason: 'The patch cannot be read.' }];
    await using server = await startContractServer({
      importPatches: () => ({ status: 200, body: { ...clean, skipped: 1, problems } }),
    });
    const { code, stdout } = await run(['patches', 'import', folder.path, '--json'], { url: server.url });
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      imported: 1,
      skipped: 5,
      problems: [
        { name: 'gem/rake/1.0.0/sp1' },
        { name: 'npm' },
        { name: 'npm/ejs/2.7.4/sp0' },
        { name: 'npm/ini/1.0.0/sp1/0001-CVE-1.patch', reason: 'The file is not UTF-8 text.' },
        { name: 'npm/qs/6.5.2/sp1 patches.0.text', reason: 'The patch cannot be read.' },
      ],
    });
  });

  test('what is no folder, or holds no patch: exit code 2', async () => {
    await using folder = await temporaryFolder({ 'a.patch.txt': patch });
    expect((await run(['patches', 'import', 'a.patch.txt'], { cwd: folder.path })).code).toBe(2);
    expect((await run(['patches', 'import', '.'], { cwd: folder.path })).code).toBe(2);
  });
});
