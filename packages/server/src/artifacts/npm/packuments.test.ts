import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type FakePackument, type FakeRegistry, startFakeRegistry } from '../testing/fake-registry.ts';
import { startNpmArtifacts, type TestArtifacts } from '../testing/start-npm-artifacts.ts';

const abbreviatedType = 'application/vnd.npm.install-v1+json';
let registry: FakeRegistry;
let artifacts: TestArtifacts;

beforeAll(async () => {
  registry = await startFakeRegistry();
  artifacts = await startNpmArtifacts({ upstreamUrl: registry.url });
});
afterAll(async () => {
  await artifacts[Symbol.asyncDispose]();
  await registry[Symbol.asyncDispose]();
});
let count = 0;
let name = '';
beforeEach(async () => {
  count += 1;
  name = `pack${count}`;
  const scripts = { install: 'node build.js' };
  await registry.publish(name, {
    '1.0.0': { manifest: { dependencies: { ejs: '^2.0.0' } } },
    '2.0.0': { manifest: { scripts } },
  });
  registry.requests.length = 0;
});

async function packument(path = name, headers: Record<string, string> = {}, token = artifacts.token) {
  const response = await artifacts.get(path, { headers, token });
  expect(response.status).toBe(200);
  return (await response.json()) as FakePackument;
}

test('sealed versions stand beside upstream, and no tag leads to them', async () => {
  const bytes = Buffer.from('sealed bytes');
  const manifest = { dependencies: { ejs: '^2.0.0' }, description: 'a package' };
  const { version, integrity } = await artifacts.seal({ name, originVersion: '1.0.0', iteration: 1, bytes, manifest });
  const document = await packument();
  expect(version).toBe('1.0.0-sp1');
  expect(Object.keys(document.versions)).toEqual(['1.0.0', '2.0.0', '1.0.0-sp1']);
  expect(document['dist-tags']).toEqual({ latest: '2.0.0' });
  expect(document.versions['1.0.0-sp1']).toMatchObject({ ...manifest, name, version, dist: { integrity } });
  expect(document.time).toMatchObject({ '1.0.0': '2020-02-02T00:00:00.000Z', '1.0.0-sp1': '2026-11-21T10:00:00.000Z' });
  expect(document.time.modified).toBe('2026-11-21T10:00:00.000Z');
  expect(document.readme).toBe(`# ${name}`);
});

test('every tarball is to be had from here, and upstream digests and signatures stay as they are', async () => {
  await artifacts.seal({ name, originVersion: '1.0.0', iteration: 1, bytes: Buffer.from('sealed') });
  const document = await packument();
  for (const [version, { dist }] of Object.entries(document.versions)) {
    expect(dist.tarball).toBe(`${artifacts.url}/${name}/-/${name}-${version}.tgz`);
  }
  const { tarball: _, ...origin } = registry.packument(name).versions['1.0.0']?.dist ?? {};
  expect(document.versions['1.0.0']?.dist).toMatchObject(origin);
});

test('a scoped package is found under each of its spellings', async () => {
  await registry.publish('@acme/tool', { '1.0.0': {} });
  const spelt = await Promise.all(['@acme/tool', '@acme%2ftool', '@acme%2Ftool'].map((path) => packument(path)));
  expect(spelt[0]?.versions['1.0.0']?.dist.tarball).toBe(`${artifacts.url}/@acme/tool/-/tool-1.0.0.tgz`);
  expect(spelt[1]).toEqual(spelt[0]);
  expect(spelt[2]).toEqual(spelt[0]);
});

test('the abbreviated form has what an installation needs and nothing else', async () => {
  await artifacts.seal({
    name,
    originVersion: '1.0.0',
    iteration: 1,
    bytes: Buffer.from('x'),
    manifest: { description: 'long' },
  });
  const response = await artifacts.get(name, {
    headers: { accept: `${abbreviatedType}; q=1.0, application/json; q=0.8, */*` },
  });
  expect(response.headers.get('content-type')).toContain(abbreviatedType);
  expect(response.headers.get('vary')).toMatch(/Accept,.*Authorization/);
  const document = (await response.json()) as FakePackument;
  expect(Object.keys(document).sort()).toEqual(['dist-tags', 'modified', 'name', 'versions']);
  expect(document.modified).toBe('2026-11-21T10:00:00.000Z');
  expect(document.versions['1.0.0']).toMatchObject({ dependencies: { ejs: '^2.0.0' } });
  expect(document.versions['1.0.0']).not.toHaveProperty('_id');
  expect(document.versions['1.0.0']).not.toHaveProperty('hasInstallScript');
  expect(document.versions['2.0.0']).toMatchObject({ hasInstallScript: true });
  expect(document.versions['1.0.0-sp1']).not.toHaveProperty('description');
});

test('a new seal shows at once, although upstream is not asked again', async () => {
  await packument();
  await artifacts.seal({ name, originVersion: '1.0.0', iteration: 1, bytes: Buffer.from('first') });
  expect((await packument()).versions).toHaveProperty('1.0.0-sp1');
  await artifacts.seal({ name, originVersion: '1.0.0', iteration: 2, bytes: Buffer.from('second') });
  expect((await packument()).versions).toHaveProperty('1.0.0-sp2');
  expect(registry.requests).toEqual([name]);
});

test('another tenant sees none of it', async () => {
  await artifacts.seal({ name, originVersion: '1.0.0', iteration: 1, bytes: Buffer.from('ours') });
  const other = await artifacts.createTenantToken('look-alike');
  await artifacts.seal({
    scope: other.scope,
    name,
    originVersion: '2.0.0',
    iteration: 1,
    bytes: Buffer.from('theirs'),
  });
  expect(Object.keys((await packument()).versions)).toEqual(['1.0.0', '2.0.0', '1.0.0-sp1']);
  expect(Object.keys((await packument(name, {}, other.token)).versions)).toEqual(['1.0.0', '2.0.0', '2.0.0-sp1']);
  expect((await artifacts.get(`${name}/1.0.0-sp1`, { token: other.token })).status).toBe(404);
});

test('a version of upstream that is spelt like ours gives way to ours, and is logged', async () => {
  await registry.publish(name, {
    '1.0.0': {},
    '1.0.0-sp1': { manifest: { description: 'impostor' } },
    '2.0.0-sp1': {},
  });
  const { integrity } = await artifacts.seal({
    name,
    originVersion: '1.0.0',
    iteration: 1,
    bytes: Buffer.from('ours'),
  });
  const document = await packument();
  expect(document.versions['1.0.0-sp1']).not.toHaveProperty('description');
  expect(document.versions['1.0.0-sp1']?.dist.integrity).toBe(integrity);
  expect(
    artifacts.warnings.filter((line) => line.includes(name) && line.includes('spelt like a sealed one')),
  ).toHaveLength(1);
  const theirs = registry.packument(name).versions['2.0.0-sp1'];
  expect(document.versions['2.0.0-sp1']?.dist.integrity).toBe(theirs?.dist.integrity);
});

test('a manifest is found by version, by sealed version and by tag', async () => {
  await artifacts.seal({ name, originVersion: '1.0.0', iteration: 1, bytes: Buffer.from('ours') });
  expect(await packument(`${name}/1.0.0`)).toMatchObject({ version: '1.0.0', dependencies: { ejs: '^2.0.0' } });
  expect(await packument(`${name}/latest`)).toMatchObject({ version: '2.0.0' });
  const sealed = await packument(`${name}/1.0.0-sp1`);
  expect(sealed).toMatchObject({
    version: '1.0.0-sp1',
    dist: { tarball: `${artifacts.url}/${name}/-/${name}-1.0.0-sp1.tgz` },
  });
  for (const absent of ['3.0.0', 'next', '^1.0.0', 'toString', '__proto__', '1.0.0-sp2']) {
    const response = await artifacts.get(`${name}/${absent}`);
    expect([absent, response.status]).toEqual([absent, 404]);
    expect(await response.json()).toHaveProperty('error');
  }
});

test('what has not changed is not sent again', async () => {
  const first = await artifacts.get(name);
  const etag = first.headers.get('etag') ?? '';
  expect(first.headers.get('cache-control')).toBe('private, no-cache');
  expect((await artifacts.get(name, { headers: { 'if-none-match': etag } })).status).toBe(304);
  await artifacts.seal({ name, originVersion: '1.0.0', iteration: 1, bytes: Buffer.from('new') });
  expect((await artifacts.get(name, { headers: { 'if-none-match': etag } })).status).toBe(200);
});

test('a client gets gzip only when it says so', async () => {
  const zipped = await artifacts.get(name, { headers: { 'accept-encoding': 'gzip' } });
  expect(zipped.headers.get('content-encoding')).toBe('gzip');
  for (const coding of ['identity', 'gzip;q=0', 'br']) {
    const plain = await artifacts.get(name, { headers: { 'accept-encoding': coding } });
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect(await plain.json()).toMatchObject({ name });
  }
});

test('HEAD says what GET would', async () => {
  const get = await artifacts.get(name, { headers: { 'accept-encoding': 'identity' } });
  const head = await artifacts.get(name, { method: 'HEAD', headers: { 'accept-encoding': 'identity' } });
  expect(head.status).toBe(200);
  expect(await head.text()).toBe('');
  for (const header of ['etag', 'content-type', 'content-length'])
    expect(head.headers.get(header)).toBe(get.headers.get(header));
});

test('a package that neither upstream nor the tenant has is absent', async () => {
  const response = await artifacts.get('no-such-package');
  expect(response.status).toBe(404);
  expect(await response.json()).toEqual({ error: 'The registry does not have no-such-package.' });
});

test('a package that upstream has no longer is there with its sealed versions', async () => {
  await artifacts.seal({ name: 'withdrawn', originVersion: '1.0.0', iteration: 1, bytes: Buffer.from('kept') });
  const document = await packument('withdrawn');
  expect([Object.keys(document.versions), document['dist-tags']]).toEqual([['1.0.0-sp1'], {}]);
});

test('keys of an object prototype are versions and tags like any other', async () => {
  registry.edit(name, (document) => {
    document['dist-tags'] = JSON.parse('{"latest":"2.0.0","__proto__":"1.0.0","constructor":"1.0.0"}');
    Object.assign(document, JSON.parse('{"__proto__":{"polluted":true}}'));
  });
  expect(await packument(`${name}/constructor`)).toMatchObject({ version: '1.0.0' });
  expect({}).not.toHaveProperty('polluted');
});

test('an entry that is about another version or package is left out', async () => {
  registry.edit(name, (document) => {
    document.versions['3.0.0'] = { ...document.versions['1.0.0'], dist: { tarball: 'x' } };
    document.versions['4.0.0'] = { name: 'other', version: '4.0.0', dist: { tarball: 'x' } };
    document.versions['5.0.0/../x'] = { name, version: '5.0.0/../x', dist: { tarball: 'x' } };
  });
  expect(Object.keys((await packument()).versions)).toEqual(['1.0.0', '2.0.0']);
});
