import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { redirectLockedPackages } from '@sealsmith/ecosystems';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { writeTarball } from '../../builders/archive.ts';
import { type FakeRegistry, startFakeRegistry } from '../testing/fake-registry.ts';
import { startNpmArtifacts, type TestArtifacts } from '../testing/start-npm-artifacts.ts';

const run = promisify(execFile);
const npmTimeoutMs = 60_000;
let registry: FakeRegistry;
let artifacts: TestArtifacts;
let sealed: { version: string; integrity: string };

beforeAll(async () => {
  registry = await startFakeRegistry();
  artifacts = await startNpmArtifacts({ upstreamUrl: registry.url });
  await registry.publish('@acme/tool', { '1.0.0': { files: { 'index.js': 'module.exports = "tool";' } } });
  const manifest = { dependencies: { '@acme/tool': '^1.0.0' } };
  await registry.publish('greeter', { '1.0.0': { manifest, files: { 'index.js': 'module.exports = "origin";' } } });
  const files = {
    'index.js': 'module.exports = "sealed";',
    'package.json': JSON.stringify({ name: 'greeter', version: '1.0.0-sp1', ...manifest }),
  };
  const packed = Object.entries(files).map(([file, text]) => ({
    path: file,
    bytes: Buffer.from(text),
    isExecutable: false,
  }));
  const bytes = await writeTarball(packed);
  sealed = await artifacts.seal({ name: 'greeter', originVersion: '1.0.0', iteration: 1, bytes, manifest });
});
afterAll(async () => {
  await artifacts[Symbol.asyncDispose]();
  await registry[Symbol.asyncDispose]();
});

let home = '';
let project = '';
beforeEach(async () => {
  home = await mkdtemp(path.join(tmpdir(), 'sealsmith-npm-'));
  project = path.join(home, 'project');
  await mkdir(project);
  registry.requests.length = 0;
});
afterEach(() => rm(home, { recursive: true, force: true }));

async function createProject(credential: string, dependencies: Record<string, string>): Promise<void> {
  const registryPath = artifacts.url.replace(/^http:/, '');
  await writeFile(path.join(project, '.npmrc'), `registry=${artifacts.url}/\n${registryPath}/:${credential}\n`);
  await writeFile(path.join(project, 'package.json'), JSON.stringify({ name: 'shop', version: '1.0.0', dependencies }));
}

/** npm with nothing of this machine's configuration. */
async function npm(...args: string[]): Promise<string> {
  const inherited = Object.entries(process.env).filter(([name]) => !name.toLowerCase().startsWith('npm_'));
  const env = {
    ...Object.fromEntries(inherited),
    HOME: home,
    npm_config_cache: path.join(home, 'cache'),
    npm_config_userconfig: path.join(home, '.npmrc'),
    npm_config_globalconfig: path.join(home, 'global-npmrc'),
    npm_config_update_notifier: 'false',
    npm_config_fetch_retries: '0',
  };
  const { stdout, stderr } = await run('npm', args, { cwd: project, env, timeout: npmTimeoutMs });
  return stdout + stderr;
}

function installed(file: string): Promise<string> {
  return readFile(path.join(project, 'node_modules', file), 'utf8');
}

async function lockedGreeter(): Promise<Record<string, unknown>> {
  const lock = JSON.parse(await readFile(path.join(project, 'package-lock.json'), 'utf8'));
  return lock.packages['node_modules/greeter'];
}

const bearer = () => `_authToken=${artifacts.token}`;
const basic = () => `_auth=${Buffer.from(`storefront:${artifacts.token}`).toString('base64')}`;

test('npm install with a token gets everything through us, and a range never leads to a sealed version', {
  timeout: npmTimeoutMs,
}, async () => {
  await createProject(bearer(), { greeter: '^1.0.0' });
  const output = await npm('install');
  expect(await installed('greeter/index.js')).toContain('origin');
  expect(await installed('@acme/tool/index.js')).toContain('tool');
  expect(await lockedGreeter()).toMatchObject({
    version: '1.0.0',
    resolved: `${artifacts.url}/greeter/-/greeter-1.0.0.tgz`,
  });
  // The audit that npm makes on its own finds no such endpoint; nobody must be told that nothing was found.
  expect(output).toContain('added 2 packages');
  expect(output).not.toContain('vulnerabilities');
});

test('npm install with project and token gets a sealed version by name, and the pull is counted', {
  timeout: npmTimeoutMs,
}, async () => {
  await createProject(basic(), {});
  await npm('install', '--save-exact', 'greeter@1.0.0-sp1');
  expect(await installed('greeter/index.js')).toContain('sealed');
  expect(await lockedGreeter()).toMatchObject({ version: '1.0.0-sp1', integrity: sealed.integrity });
  await npm('ci');
  expect(await installed('greeter/index.js')).toContain('sealed');
  await artifacts.flushPulls();
  const pull = await artifacts.database.db
    .selectFrom('pulls')
    .select('pull_count')
    .where('project_name', '=', 'storefront')
    .where('package_version', '=', '1.0.0-sp1')
    .executeTakeFirstOrThrow();
  expect(pull.pull_count).toBeGreaterThanOrEqual(1);
});

test('a lockfile that keeps the version and leads to the sealed tarball passes npm ci and npm install', {
  timeout: npmTimeoutMs,
}, async () => {
  await createProject(bearer(), { greeter: '^1.0.0' });
  await npm('install');
  const lockFile = path.join(project, 'package-lock.json');
  const resolved = `${artifacts.url}/greeter/-/greeter-${sealed.version}.tgz`;
  const redirect = new Map([['node_modules/greeter', { resolved, integrity: sealed.integrity }]]);
  const { text } = redirectLockedPackages(await readFile(lockFile, 'utf8'), 'package-lock.json', redirect);
  await writeFile(lockFile, text);
  await npm('ci');
  expect(await installed('greeter/index.js')).toContain('sealed');
  await rm(path.join(project, 'node_modules'), { recursive: true });
  await npm('install');
  expect(await installed('greeter/index.js')).toContain('sealed');
  expect(await lockedGreeter()).toMatchObject({ version: '1.0.0', resolved, integrity: sealed.integrity });
});

test('a client without a token is told so', { timeout: npmTimeoutMs }, async () => {
  await createProject('_authToken=nonsense', { greeter: '^1.0.0' });
  await expect(npm('install')).rejects.toThrow(/E401/);
  expect(registry.requests).toEqual([]);
});

test('npm view, npm ping and npm whoami understand the answers; npm publish is refused in words', {
  timeout: npmTimeoutMs,
}, async () => {
  await createProject(basic(), {});
  expect(await npm('view', 'greeter', 'versions', '--json')).toContain('1.0.0-sp1');
  expect(await npm('ping')).toContain('PONG');
  expect(await npm('whoami')).toContain('storefront');
  await expect(npm('publish', '--no-provenance')).rejects.toThrow(/read-only/);
});
