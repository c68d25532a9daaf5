import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { digestsOf, type FakeRegistry, startFakeRegistry } from '../testing/fake-registry.ts';
import { startNpmArtifacts, type TestArtifacts } from '../testing/start-npm-artifacts.ts';

let registry: FakeRegistry;
let artifacts: TestArtifacts;
const sealedBytes = Buffer.from('0123456789');

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
let sealedFile = '';
let originFile = '';
beforeEach(async () => {
  count += 1;
  name = `ball${count}`;
  sealedFile = `${name}/-/${name}-1.0.0-sp1.tgz`;
  originFile = `${name}/-/${name}-1.0.0.tgz`;
  // Bytes that no other test's package shares: the cache knows an artifact by its digest alone.
  await registry.publish(name, { '1.0.0': { files: { 'index.js': `// ${name}` } } });
  await artifacts.seal({ name, originVersion: '1.0.0', iteration: 1, bytes: sealedBytes });
  registry.intercept = () => false;
  registry.requests.length = 0;
});

async function bytesOf(response: Response): Promise<Buffer> {
  return Buffer.from(await response.arrayBuffer());
}

test('a sealed tarball comes from our own store and is an attachment that never changes', async () => {
  const response = await artifacts.get(sealedFile);
  expect(response.status).toBe(200);
  expect(await bytesOf(response)).toEqual(sealedBytes);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'application/octet-stream',
    'content-length': '10',
    'content-disposition': `attachment; filename="${name}-1.0.0-sp1.tgz"`,
    'x-content-type-options': 'nosniff',
    'cache-control': 'private, max-age=31536000, immutable',
    'accept-ranges': 'bytes',
    vary: 'Authorization',
  });
  expect(registry.requests).toEqual([]);
});

test('a tarball of upstream is passed on byte for byte and fetched once', async () => {
  for (let time = 1; time <= 2; time++) {
    const response = await artifacts.get(originFile);
    expect(response.status).toBe(200);
    expect(await bytesOf(response)).toEqual(registry.tarball(name, '1.0.0'));
  }
  expect(registry.requests).toEqual([name, originFile]);
});

test.each(['sealed', 'upstream'] as const)('ranges, conditions and HEAD of a %s tarball', async (kind) => {
  const path = kind === 'sealed' ? sealedFile : originFile;
  const whole = await artifacts.get(path);
  const bytes = await bytesOf(whole);
  const etag = whole.headers.get('etag') ?? '';
  const ranged = (range: string, headers = {}) => artifacts.get(path, { headers: { range, ...headers } });

  const part = await ranged('bytes=2-5');
  expect([part.status, part.headers.get('content-range'), part.headers.get('content-length')]).toEqual([
    206,
    `bytes 2-5/${bytes.length}`,
    '4',
  ]);
  expect(await bytesOf(part)).toEqual(bytes.subarray(2, 6));
  expect(await bytesOf(await ranged('bytes=-3'))).toEqual(bytes.subarray(-3));
  expect(await bytesOf(await ranged('bytes=4-'))).toEqual(bytes.subarray(4));
  const beyond = await ranged(`bytes=${bytes.length}-`);
  expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, `bytes */${bytes.length}`]);
  expect((await ranged('bytes=0-1', { 'if-range': etag })).status).toBe(206);
  expect((await ranged('bytes=0-1', { 'if-range': '"other"' })).status).toBe(200);

  const unchanged = await artifacts.get(path, { headers: { 'if-none-match': etag } });
  expect([unchanged.status, await unchanged.text()]).toEqual([304, '']);
  expect((await artifacts.get(path, { headers: { 'if-none-match': '"other"' } })).status).toBe(200);

  const head = await artifacts.get(path, { method: 'HEAD', headers: { range: 'bytes=0-1' } });
  expect([head.status, head.headers.get('content-length'), head.headers.get('etag')]).toEqual([
    200,
    String(bytes.length),
    etag,
  ]);
  expect(await head.text()).toBe('');
});

test('another tenant gets upstream under that name, never our bytes', async () => {
  const { token } = await artifacts.createTenantToken('tarball-look-alike');
  expect((await artifacts.get(sealedFile, { token })).status).toBe(404);
  await registry.publish(name, { '1.0.0-sp1': { files: { 'a.js': name } } });
  artifacts.advance(61_000);
  const theirs = await artifacts.get(sealedFile, { token });
  expect(await bytesOf(theirs)).toEqual(registry.tarball(name, '1.0.0-sp1'));
  expect(await bytesOf(await artifacts.get(sealedFile))).toEqual(sealedBytes);
});

test('bytes that do not have the published digest are not served, not even the first of them', async () => {
  registry.edit(name, ({ versions }) => {
    Object.assign(versions['1.0.0']?.dist ?? {}, digestsOf(Buffer.from('what the registry says')));
  });
  const response = await artifacts.get(originFile);
  expect(response.status).toBe(503);
  const expected = `The upstream registry was asked for ${name} 1.0.0 and sent bytes that do not have the digest that it publishes.`;
  expect(await response.json()).toEqual({ error: expected });
});

test('a version that publishes no digest is not served; one with the old digest alone is', async () => {
  registry.edit(name, ({ versions }) => delete versions['1.0.0']?.dist.integrity);
  expect((await artifacts.get(originFile)).status).toBe(200);
  artifacts.advance(61_000);
  registry.edit(name, ({ versions }) => delete versions['1.0.0']?.dist.shasum);
  const response = await artifacts.get(originFile);
  expect([response.status, await response.json()]).toEqual([
    503,
    { error: expect.stringContaining('publishes no digest') },
  ]);
});

test('the old digest decides as strictly as the new one', async () => {
  registry.edit(name, ({ versions }) => {
    const { shasum } = digestsOf(Buffer.from('other'));
    Object.assign(versions['1.0.0']?.dist ?? {}, { integrity: undefined, shasum });
  });
  expect((await artifacts.get(originFile)).status).toBe(503);
});

test('a packument cannot make us fetch from an origin that is not configured', async () => {
  await using stranger = await startFakeRegistry();
  registry.edit(name, ({ versions }) => {
    Object.assign(versions['1.0.0']?.dist ?? {}, { tarball: new URL('secret', stranger.url).href });
  });
  const response = await artifacts.get(originFile);
  expect([response.status, await response.json()]).toEqual([
    503,
    { error: expect.stringContaining('not a configured upstream') },
  ]);
  expect(stranger.requests).toEqual([]);
});

test('a sealed artifact whose bytes are lost is an error and nothing that a client would keep', async () => {
  const bytes = Buffer.from(`lost ${name}`);
  await artifacts.seal({ name, originVersion: '1.0.0', iteration: 2, bytes });
  await rm(path.join(artifacts.cacheDir, '..', '..', 'blobs'), { recursive: true });
  const response = await artifacts.get(`${name}/-/${name}-1.0.0-sp2.tgz`);
  expect([response.status, Object.keys((await response.json()) as object)]).toEqual([500, ['error']]);
  expect(response.headers.get('cache-control')).toBe('no-store');
  for (const header of ['etag', 'content-disposition', 'accept-ranges'])
    expect(response.headers.get(header)).toBeNull();
});

test('a tarball that is too large to be read in one go is the same in whole and in part', async () => {
  const bytes = randomBytes(700_000);
  await artifacts.seal({ name, originVersion: '1.0.0', iteration: 2, bytes });
  const files = { 'noise.txt': randomBytes(700_000).toString('hex') };
  await registry.publish(name, { '1.0.0': { files } });
  const wanted = [
    { file: `${name}/-/${name}-1.0.0-sp2.tgz`, expected: bytes },
    { file: originFile, expected: registry.tarball(name, '1.0.0') },
  ];
  for (const { file, expected } of wanted) {
    expect((await bytesOf(await artifacts.get(file))).equals(expected)).toBe(true);
    const part = await artifacts.get(file, { headers: { range: 'bytes=1-400000' } });
    expect((await bytesOf(part)).equals(expected.subarray(1, 400_001))).toBe(true);
  }
});

test('only files that the packument names are asked for', async () => {
  expect((await artifacts.get(`${name}/-/${name}-6.6.6.tgz`)).status).toBe(404);
  expect(registry.requests.every((path) => !path.includes('/-/'))).toBe(true);
});

test('a version that only the younger document names is found', async () => {
  const headers = { accept: 'application/vnd.npm.install-v1+json' };
  await (await artifacts.get(name, { headers })).text();
  await registry.publish(name, { '1.0.0': {}, '1.0.1': {} });
  await (await artifacts.get(name)).text();
  expect((await artifacts.get(`${name}/-/${name}-1.0.1.tgz`)).status).toBe(200);
});

test('a tarball that breaks off upstream is refused, and the next try succeeds', async () => {
  registry.intercept = (request, response) => {
    if (!request.url?.endsWith('.tgz')) return false;
    response.writeHead(200, { 'content-length': '1000' });
    response.write('x', () => response.destroy());
    return true;
  };
  const broken = await artifacts.get(originFile);
  expect([broken.status, await broken.json()]).toEqual([
    503,
    { error: expect.stringContaining('broke its answer off') },
  ]);
  registry.intercept = () => false;
  expect((await artifacts.get(originFile)).status).toBe(200);
});

test('downloads are counted for the project that asks, and nothing else is', async () => {
  const { token } = artifacts;
  const basic = (user: string) => ({ authorization: `Basic ${Buffer.from(`${user}:${token}`).toString('base64')}` });
  await (await artifacts.get(sealedFile, { headers: basic('storefront') })).text();
  await (await artifacts.get(sealedFile, { headers: { ...basic('storefront'), range: 'bytes=0-3' } })).text();
  await (await artifacts.get(sealedFile, { headers: { ...basic('storefront'), range: 'bytes=4-' } })).text();
  await (await artifacts.get(sealedFile, { method: 'HEAD', headers: basic('storefront') })).text();
  await (await artifacts.get(sealedFile, { headers: { ...basic('storefront'), 'if-none-match': '*' } })).text();
  await (await artifacts.get(originFile)).text();
  await (await artifacts.get(`${name}/-/${name}-6.6.6.tgz`)).text();
  await artifacts.flushPulls();
  const rows = await artifacts.database.db
    .selectFrom('pulls')
    .select(['tenant_id', 'project_name', 'package_version', 'pull_count'])
    .where('package_name', '=', name)
    .orderBy('project_name')
    .execute();
  expect(rows).toEqual([
    { tenant_id: artifacts.scope.tenantId, project_name: '', package_version: '1.0.0', pull_count: 1 },
    { tenant_id: artifacts.scope.tenantId, project_name: 'storefront', package_version: '1.0.0-sp1', pull_count: 2 },
  ]);
});
