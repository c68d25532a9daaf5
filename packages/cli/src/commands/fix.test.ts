import { writeFileSync } from 'node:fs';
import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { ResolvedPackage } from '@sealsmith/contract';
import { readPackageLock } from '@sealsmith/ecosystems';
import { describe, expect, test } from 'vitest';
import { type ContractServer, startContractServer } from '../testing/contract-server.ts';
import { originUrl, shopLock } from '../testing/locks.ts';
import { run } from '../testing/run.ts';
import { sampleIntegrity, sampleOutcome, sampleRule, sealedOutcome } from '../testing/samples.ts';
import { type TemporaryFolder, temporaryFolder } from '../testing/temporary-folder.ts';

const repository = 'http://seal.example:8080';
const ejsSeal = sealedOutcome('ejs', '2.7.4', { serverUrl: repository });
const minimistSeal = sealedOutcome('minimist', '1.2.5', { serverUrl: repository });
const everyPackage = sampleRule({ vulnerable_package_name: '<ANY>', vulnerable_package_version: '<ANY>' });

interface ResolveBody {
  project_name: string;
  packages: { package_name: string; package_version: string }[];
  draft_rules?: object[];
}

/** A service that has these outcomes, and no rule for everything else. A function gives its outcome when it is asked. */
function serviceWith(...given: (ResolvedPackage | (() => ResolvedPackage))[]): Promise<ContractServer> {
  return startContractServer({
    resolveSealingRules: ({ body }) => {
      const outcomes = given.map((outcome) => (typeof outcome === 'function' ? outcome() : outcome));
      const items = (body as ResolveBody).packages.map(
        ({ package_name, package_version }) =>
          outcomes.find((item) => item.package_name === package_name && item.package_version === package_version) ??
          sampleOutcome(package_name, package_version),
      );
      return { status: 200, body: { items } };
    },
  });
}

/** What it was asked first. */
function askedOf({ received: [first] }: ContractServer): ResolveBody {
  return first?.body as ResolveBody;
}

const lockName = 'package-lock.json';
const read = (folder: TemporaryFolder, name = lockName) => readFile(path.join(folder.path, name), 'utf8');

function entryAt(text: string, place: string) {
  return readPackageLock(text, lockName).packages.find((entry) => entry.path === place);
}

describe('fix writes the lockfile', () => {
  test.each([
    ['version 1', 1, '\n'],
    ['version 2', 2, '\n'],
    ['version 3', 3, '\n'],
    ['version 3 with CRLF', 3, '\r\n'],
  ] as const)(
    '%s: the sealed entries point to the sealed artifacts, every other byte stays',
    async (_, version, eol) => {
      const before = shopLock(version, { eol });
      await using folder = await temporaryFolder({ [lockName]: before });
      await using service = await serviceWith(ejsSeal);
      const { code, stdout } = await run(['fix'], { url: service.url, cwd: folder.path });
      expect(code).toBe(0);
      expect(stdout).toMatch(/^ejs +2\.7\.4 +2\.7\.4-sp1 +node_modules\/ejs$/m);
      expect(stdout).toContain('1 entry sealed, as the file read again shows');
      const after = await read(folder);
      expect(entryAt(after, 'node_modules/ejs')).toMatchObject({
        version: '2.7.4',
        resolved: ejsSeal.artifact?.url,
        integrity: ejsSeal.artifact?.integrity,
      });
      const expected = before.replaceAll(
        new RegExp(`("${originUrl('ejs', '2.7.4')}")(,\\s+"integrity": )"[^"]+"`, 'g'),
        `"${ejsSeal.artifact?.url}"$2"${ejsSeal.artifact?.integrity}"`,
      );
      expect(after).toBe(expected);
      expect(await readdir(folder.path)).toEqual([lockName]);
    },
  );

  test('an alias is sealed under its real name, with every other copy', async () => {
    await using folder = await temporaryFolder({ [lockName]: shopLock(3) });
    await using service = await serviceWith(minimistSeal);
    await run(['fix'], { url: service.url, cwd: folder.path });
    const after = await read(folder);
    for (const place of ['node_modules/minimist', 'node_modules/old']) {
      expect(entryAt(after, place)?.resolved).toBe(minimistSeal.artifact?.url);
    }
    expect(askedOf(service).packages.filter((item) => item.package_name === 'minimist')).toHaveLength(1);
  });

  test('a second fix changes nothing, and neither run changes the permissions', async () => {
    await using folder = await temporaryFolder({ [lockName]: shopLock(3) });
    const file = path.join(folder.path, lockName);
    await chmod(file, 0o664);
    await using service = await serviceWith(ejsSeal);
    await run(['fix'], { url: service.url, cwd: folder.path });
    const once = await stat(file, { bigint: true });
    const text = await read(folder);
    const { code, stdout } = await run(['fix'], { url: service.url, cwd: folder.path });
    expect(code).toBe(0);
    expect(stdout).toContain('nothing to change. 1 were sealed before.');
    expect(await read(folder)).toBe(text);
    expect(await stat(file, { bigint: true })).toMatchObject({ mtimeNs: once.mtimeNs, ino: once.ino, mode: 0o100664n });
  });

  test('--dry-run says the same and writes nothing', async () => {
    await using folder = await temporaryFolder({ [lockName]: shopLock(3) });
    await using service = await serviceWith(ejsSeal);
    const { code, stdout } = await run(['fix', '--dry-run'], { url: service.url, cwd: folder.path });
    expect(code).toBe(0);
    expect(stdout).toContain('1 entry would be sealed; nothing was written.');
    expect(await read(folder)).toBe(shopLock(3));
  });

  test('npm goes by the shrinkwrap, so that is the one', async () => {
    await using folder = await temporaryFolder({ [lockName]: shopLock(3), 'npm-shrinkwrap.json': shopLock(2) });
    await using service = await serviceWith(ejsSeal);
    const { code, stderr } = await run(['fix'], { url: service.url, cwd: folder.path });
    expect(code).toBe(0);
    expect(stderr).toContain('ignores package-lock.json');
    expect(await read(folder)).toBe(shopLock(3));
    expect(await read(folder, 'npm-shrinkwrap.json')).toContain(ejsSeal.artifact?.url);
  });

  test('a newer iteration takes the place of the one that is there', async () => {
    await using folder = await temporaryFolder({ [lockName]: shopLock(3) });
    const newer = sealedOutcome('ejs', '2.7.4', { serverUrl: repository, iteration: 2 });
    await using service = await serviceWith(ejsSeal);
    await using later = await serviceWith(newer);
    await run(['fix'], { url: service.url, cwd: folder.path });
    await run(['fix'], { url: later.url, cwd: folder.path });
    expect(entryAt(await read(folder), 'node_modules/ejs')?.integrity).toBe(newer.artifact?.integrity);
  });
});

describe('--mode all', () => {
  const unresolved = (name: string, version: string) =>
    sampleOutcome(name, version, {
      outcome: 'unresolved',
      rule: sampleRule({ vulnerable_package_name: name, vulnerable_package_version: version }),
      rule_is_draft: true,
    });

  test('asks for the safest seal of each package version, and what has none is left alone', async () => {
    await using folder = await temporaryFolder({ [lockName]: shopLock(3) });
    await using service = await serviceWith(ejsSeal, unresolved('ejs', '3.1.6'));
    const { code, stdout } = await run(['fix', '--mode', 'all', '--project', 'shop'], {
      url: service.url,
      cwd: folder.path,
    });
    expect(code).toBe(0);
    expect(stdout).toContain('1 package versions have no seal and stay as they are: ejs 3.1.6.');
    const { packages, draft_rules = [] } = askedOf(service);
    expect(draft_rules).toHaveLength(packages.length);
    expect(draft_rules).toContainEqual({
      project_name: 'shop',
      vulnerable_package_name: '@s/ini',
      vulnerable_package_version: '1.0.0',
      sealed_package_name: '@s/ini',
      sealed_package_version: '<SAFEST>',
    });
  });

  test('a lockfile that names a sealed version is asked about by its origin', async () => {
    const lock = shopLock(3).replace('"version": "2.7.4"', '"version": "2.7.4-sp1"');
    await using folder = await temporaryFolder({ [lockName]: lock });
    await using service = await serviceWith();
    await run(['fix', '--mode', 'all'], { url: service.url, cwd: folder.path });
    const { draft_rules } = askedOf(service);
    expect(draft_rules).toContainEqual(
      expect.objectContaining({ vulnerable_package_name: 'ejs', vulnerable_package_version: '2.7.4' }),
    );
  });

  test('more packages than one question may hold are asked about in several', async () => {
    const names = Array.from({ length: 5001 }, (_, index) => `p${index}`);
    const packages = Object.fromEntries(names.map((name) => [`node_modules/${name}`, { version: '1.0.0' }]));
    const last = sealedOutcome('p5000', '1.0.0', { serverUrl: repository });
    await using folder = await temporaryFolder({ [lockName]: JSON.stringify({ lockfileVersion: 3, packages }) });
    await using service = await serviceWith(last);
    const { code } = await run(['fix', '--mode', 'all', '--project', 'shop'], { url: service.url, cwd: folder.path });
    expect(code).toBe(0);
    expect(service.received.map(({ body }) => (body as ResolveBody).packages.length)).toEqual([5000, 1]);
    expect(entryAt(await read(folder), 'node_modules/p5000')?.resolved).toBe(last.artifact?.url);
  });
});

describe('what cannot be sealed is named: exit code 1', () => {
  test('bundled and git packages, while the others are sealed', async () => {
    await using folder = await temporaryFolder({ [lockName]: shopLock(3) });
    const seals = [
      sealedOutcome('inner', '1.0.0', { serverUrl: repository }),
      sealedOutcome('fork', '1.1.0', { serverUrl: repository }),
    ];
    await using service = await serviceWith(ejsSeal, ...seals);
    const { code, stdout } = await run(['fix'], { url: service.url, cwd: folder.path });
    expect(code).toBe(1);
    expect(stdout).toContain('inner 1.0.0 (node_modules/packer/node_modules/inner): it is bundled');
    expect(stdout).toContain('fork 1.1.0 (node_modules/fork): it comes from a git repository');
    expect(entryAt(await read(folder), 'node_modules/ejs')?.resolved).toBe(ejsSeal.artifact?.url);
  });

  test('a rule that names the package and leads nowhere; one for every package asks for what there is', async () => {
    const rule = sampleRule({
      vulnerable_package_name: 'ejs',
      vulnerable_package_version: '2.7.4',
      sealed_package_version: '2.7.4-sp9',
    });
    const missing = sampleOutcome('ejs', '2.7.4', {
      outcome: 'unresolved',
      reason: '2.7.4-sp9 is not published.',
      rule,
    });
    const broad = sampleOutcome('minimist', '1.2.5', { outcome: 'unresolved', rule: everyPackage });
    await using folder = await temporaryFolder({ [lockName]: shopLock(3) });
    await using targeted = await serviceWith(missing, broad);
    await using untargeted = await serviceWith(broad);
    const { code, stdout } = await run(['fix', '--json'], { url: targeted.url, cwd: folder.path });
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      changed: [],
      refused: [{ package_name: 'ejs', path: 'node_modules/ejs', reason: '2.7.4-sp9 is not published.' }],
      without_seal: [{ package_name: 'minimist', package_version: '1.2.5' }],
    });
    expect((await run(['fix'], { url: untargeted.url, cwd: folder.path })).code).toBe(0);
  });

  test('an entry that is sealed and that a rule wants at its origin, but not the origin that the service serves too', async () => {
    await using service = await serviceWith(
      sampleOutcome('ejs', '2.7.4', { outcome: 'origin', rule: sampleRule({ sealed_package_version: '<ORIGIN>' }) }),
      sampleOutcome('minimist', '1.2.5', {
        outcome: 'origin',
        rule: sampleRule({ sealed_package_version: '<ORIGIN>' }),
      }),
    );
    const lock = shopLock(3)
      .replace(originUrl('ejs', '2.7.4'), `${service.url}/artifacts/npm/ejs/-/ejs-2.7.4-sp1.tgz`)
      .replaceAll(originUrl('minimist', '1.2.5'), `${service.url}/artifacts/npm/minimist/-/minimist-1.2.5.tgz`);
    await using folder = await temporaryFolder({ [lockName]: lock });
    const { code, stdout } = await run(['fix'], { url: service.url, cwd: folder.path });
    expect(code).toBe(1);
    expect(stdout).toContain('npm install ejs@2.7.4');
    expect(stdout).not.toContain('minimist');
    expect(await read(folder)).toBe(lock);
  });

  test('a read-only lockfile stays as it is', async () => {
    await using folder = await temporaryFolder({ [lockName]: shopLock(3) });
    await chmod(path.join(folder.path, lockName), 0o444);
    await using service = await serviceWith(ejsSeal);
    const { code, stdout, stderr } = await run(['fix'], { url: service.url, cwd: folder.path });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('package-lock.json is read-only');
    expect(await read(folder)).toBe(shopLock(3));
    expect(await readdir(folder.path)).toEqual([lockName]);
  });

  test('a lockfile that somebody else changes meanwhile keeps their change', async () => {
    await using folder = await temporaryFolder({ [lockName]: shopLock(3) });
    const theirs = shopLock(3).replace('"1.0.0"', '"1.0.1"');
    await using service = await serviceWith(() => {
      writeFileSync(path.join(folder.path, lockName), theirs);
      return ejsSeal;
    });
    const { code, stderr } = await run(['fix'], { url: service.url, cwd: folder.path });
    expect(code).toBe(1);
    expect(stderr).toContain('was changed by something else');
    expect(await read(folder)).toBe(theirs);
  });

  test.each([
    ['an address of another kind', { url: 'file:///etc/passwd' }],
    ['an address with credentials', { url: 'https://a:b@seal.example/artifacts/npm/ejs/-/ejs-2.7.4-sp1.tgz' }],
    ['a weak digest', { integrity: 'sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=' }],
  ])('an artifact with %s is never written: exit code 3', async (_, fields) => {
    const artifact = { url: `${repository}/x.tgz`, integrity: sampleIntegrity('B'), size_bytes: 1, ...fields };
    await using folder = await temporaryFolder({ [lockName]: shopLock(3) });
    await using service = await serviceWith({ ...ejsSeal, artifact });
    expect((await run(['fix'], { url: service.url, cwd: folder.path })).code).toBe(3);
    expect(await read(folder)).toBe(shopLock(3));
  });
});

describe('what is left to do', () => {
  const tokenLine = `//seal.example:8080/artifacts/npm/:_authToken=\${SEALSMITH_TOKEN}`;
  const manifest = (version: string) => JSON.stringify({ name: 'ejs', version });

  test('node_modules with the origin: npm ci is to be run, until it was', async () => {
    await using folder = await temporaryFolder({
      [lockName]: shopLock(3),
      'node_modules/ejs/package.json': manifest('2.7.4'),
    });
    await using service = await serviceWith(ejsSeal);
    expect((await run(['fix'], { url: service.url, cwd: folder.path })).stderr).toContain('run "npm ci"');
    expect((await run(['fix'], { url: service.url, cwd: folder.path })).stderr).toContain('run "npm ci"');
    await writeFile(path.join(folder.path, 'node_modules/ejs/package.json'), manifest('2.7.4-sp1'));
    expect((await run(['fix'], { url: service.url, cwd: folder.path })).stderr).not.toContain('npm ci');
  });

  test('how npm gets the token, unless .npmrc has it; the token itself is never shown', async () => {
    await using folder = await temporaryFolder({ [lockName]: shopLock(3) });
    await using service = await serviceWith(ejsSeal);
    const { stdout, stderr } = await run(['fix', '--json'], { url: service.url, cwd: folder.path });
    expect(JSON.parse(stdout).hints.join()).toContain(tokenLine);
    expect(stderr).toBe('');
    await writeFile(path.join(folder.path, '.npmrc'), `registry=https://registry.example/\r\n${tokenLine}\r\n`);
    expect((await run(['fix'], { url: service.url, cwd: folder.path })).stderr).toBe('');
  });
});

test.each([
  ['no lockfile', {}],
  ['a lockfile that is none', { [lockName]: '[]' }],
])('%s: exit code 2 and nothing is asked', async (_, files) => {
  await using folder = await temporaryFolder(files);
  await using service = await serviceWith();
  expect((await run(['fix'], { url: service.url, cwd: folder.path })).code).toBe(2);
  expect(service.received).toEqual([]);
});
