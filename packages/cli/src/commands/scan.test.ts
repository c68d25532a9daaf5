import { symlink } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { startContractServer } from '../testing/contract-server.ts';
import { shopLock } from '../testing/locks.ts';
import { run } from '../testing/run.ts';
import { samplePackage, sampleScan, sampleVulnerability } from '../testing/samples.ts';
import { temporaryFolder } from '../testing/temporary-folder.ts';

const sealed = [sampleVulnerability({ state: 'sealed' })];

describe('scan', () => {
  test('sends the lockfile as it is, under the name that it gives the project', async () => {
    await using folder = await temporaryFolder({ 'package-lock.json': `\uFEFF${shopLock(3)}` });
    await using server = await startContractServer({ createScan: () => ({ status: 201, body: sampleScan([]) }) });
    const { code, stdout } = await run(['scan'], { url: server.url, cwd: folder.path });
    expect(code).toBe(0);
    expect(stdout).toBe('Project shop, package-lock.json: 6 packages, nothing vulnerable that is not sealed.\n');
    expect(server.received).toMatchObject([
      { params: { project_name: 'shop' }, query: { source: 'package-lock.json' }, body: JSON.parse(shopLock(3)) },
    ]);
  });

  test('exit code 1 when something vulnerable is not sealed; the table says what requires it', async () => {
    const packages = [
      samplePackage(),
      samplePackage({
        package_name: 'inner',
        package_version: '1.0.0',
        fix_availability: 'generate_fix',
        sealed_package_version: null,
      }),
      samplePackage({
        package_name: '@s/ini',
        package_version: '1.0.0',
        fix_availability: 'sealed',
        vulnerabilities: sealed,
      }),
    ];
    await using folder = await temporaryFolder({ 'package-lock.json': shopLock(3) });
    await using server = await startContractServer({ createScan: () => ({ status: 201, body: sampleScan(packages) }) });
    const { code, stdout } = await run(['scan', folder.path], { url: server.url });
    expect(code).toBe(1);
    expect(stdout).toMatch(/^ejs +2\.7\.4 +NPM +CVE-2022-29078 \(critical\) +directly +seal_available +2\.7\.4-sp1$/m);
    expect(stdout).toMatch(/^inner .* through packer +generate_fix +-$/m);
    expect(stdout).toContain('6 packages, 2 vulnerable, 1 sealed, 1 of them can be sealed now');
  });

  test('what is sealed or was hidden is not found', async () => {
    const packages = [
      samplePackage({ fix_availability: 'sealed', vulnerabilities: sealed }),
      samplePackage({ package_name: 'minimist', package_version: '1.2.5', is_hidden: true }),
    ];
    await using folder = await temporaryFolder({ 'package-lock.json': shopLock(2) });
    await using server = await startContractServer({ createScan: () => ({ status: 201, body: sampleScan(packages) }) });
    const { code, stdout } = await run(['scan', folder.path, '--json'], { url: server.url });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      found: 0,
      package_count: 6,
      vulnerable_packages: [
        { package_name: 'ejs', is_direct: true, via: [], paths: ['node_modules/ejs'] },
        { package_name: 'minimist', paths: ['node_modules/minimist', 'node_modules/old'] },
      ],
    });
  });

  test('the source is the path below the working folder, the project what the option says', async () => {
    await using folder = await temporaryFolder({ 'apps/web/npm-shrinkwrap.json': shopLock(1) });
    await using server = await startContractServer({ createScan: () => ({ status: 201, body: sampleScan([]) }) });
    await run(['scan', 'apps/web', '--project', 'web'], { url: server.url, cwd: folder.path });
    await run(['scan', '.'], { url: server.url, cwd: path.join(folder.path, 'apps/web') });
    expect(server.received).toMatchObject([
      { params: { project_name: 'web' }, query: { source: 'apps/web/npm-shrinkwrap.json' } },
      { params: { project_name: 'shop' }, query: { source: 'npm-shrinkwrap.json' } },
    ]);
  });
});

describe('a folder that cannot be scanned: exit code 2, and nothing is sent', () => {
  test.each([
    ['no lockfile', {}, '.', 'neither package-lock.json nor npm-shrinkwrap.json'],
    ['no folder', {}, 'absent', 'absent is not a folder'],
    ['a broken lockfile', { 'package-lock.json': '{' }, '.', 'package-lock.json, line 1'],
    ['a lockfile in Latin-1', { 'package-lock.json': Buffer.from('{"name":"\xe9"}', 'latin1') }, '.', 'not UTF-8'],
  ])('%s', async (_, files, dir, text) => {
    await using folder = await temporaryFolder(files);
    await using server = await startContractServer({});
    const { code, stdout, stderr } = await run(['scan', dir], { url: server.url, cwd: folder.path });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(text);
    expect(server.received).toEqual([]);
  });

  test('a lockfile that is a link to somewhere else', async () => {
    await using folder = await temporaryFolder({ 'elsewhere.json': shopLock(3) });
    await symlink('elsewhere.json', path.join(folder.path, 'package-lock.json'));
    const { code, stderr } = await run(['scan', folder.path]);
    expect(code).toBe(2);
    expect(stderr).toContain('it is a link or no plain file');
  });
});
