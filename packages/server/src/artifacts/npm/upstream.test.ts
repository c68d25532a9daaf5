import { once } from 'node:events';
import { readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type FakePackument, type FakeRegistry, startFakeRegistry } from '../testing/fake-registry.ts';
import { startNpmArtifacts, type TestArtifacts } from '../testing/start-npm-artifacts.ts';

const minuteMs = 60_000;
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
let file = '';
beforeEach(async () => {
  count += 1;
  name = `up${count}`;
  file = `${name}/-/${name}-1.0.0.tgz`;
  await registry.publish(name, { '1.0.0': { files: { 'index.js': `// ${name}` } } });
  registry.intercept = () => false;
  registry.requests.length = 0;
  artifacts.warnings.length = 0;
});

async function versions(): Promise<string[]> {
  const response = await artifacts.get(name);
  expect(response.status).toBe(200);
  return Object.keys(((await response.json()) as FakePackument).versions);
}

async function status(requestPath = name): Promise<number> {
  const response = await artifacts.get(requestPath);
  await response.arrayBuffer();
  return response.status;
}

/** Holds every request for `part` back until it is released. */
function holdBack(part: string) {
  const held = Promise.withResolvers<void>();
  const arrived = Promise.withResolvers<void>();
  registry.intercept = async (request) => {
    if (!request.url?.includes(part)) return false;
    arrived.resolve();
    await held.promise;
    return false;
  };
  return { arrived: arrived.promise, release: () => held.resolve() };
}

const down = (_: unknown, response: ServerResponse) => {
  response.destroy();
  return true;
};

test('a document is asked for again after a minute, and only sent again when it has changed', async () => {
  const conditions: unknown[] = [];
  registry.intercept = (request) => {
    conditions.push(request.headers['if-none-match']);
    return false;
  };
  await versions();
  artifacts.advance(minuteMs - 5_000);
  await versions();
  expect(conditions).toEqual([undefined]);
  artifacts.advance(6_000);
  expect(await versions()).toEqual(['1.0.0']);
  expect(conditions).toEqual([undefined, expect.stringMatching(/^"/)]);
  await versions();
  expect(conditions).toHaveLength(2);
  await registry.publish(name, { '1.0.0': {}, '1.1.0': {} });
  artifacts.advance(minuteMs);
  expect(await versions()).toEqual(['1.0.0', '1.1.0']);
});

test('a hundred clients at once are one request upstream', async () => {
  const packument = holdBack(name);
  const documents = Array.from({ length: 100 }, () => versions());
  await packument.arrived;
  packument.release();
  for (const found of await Promise.all(documents)) expect(found).toEqual(['1.0.0']);
  expect(registry.requests).toEqual([name]);

  await status(`${name}/-/${name}-9.9.9.tgz`);
  registry.requests.length = 0;
  const tarball = holdBack('.tgz');
  const answers = Array.from({ length: 100 }, async () => {
    const response = await artifacts.get(file);
    return Buffer.from(await response.arrayBuffer());
  });
  await tarball.arrived;
  tarball.release();
  for (const bytes of await Promise.all(answers)) expect(bytes.equals(registry.tarball(name, '1.0.0'))).toBe(true);
  expect(registry.requests).toEqual([file]);
});

test('a client that goes away does not take the answer from the others', async () => {
  const held = holdBack(name);
  const abort = new AbortController();
  const leaving = artifacts.get(name, { signal: abort.signal });
  await held.arrived;
  const staying = versions();
  abort.abort();
  await expect(leaving).rejects.toThrow();
  held.release();
  expect(await staying).toEqual(['1.0.0']);
  expect(registry.requests).toEqual([name]);
});

test('a failure is passed on to those who waited, and to nobody after them', async () => {
  registry.intercept = down;
  expect(await Promise.all([status(), status(), status()])).toEqual([503, 503, 503]);
  registry.intercept = () => false;
  expect(await status()).toBe(200);
});

test('while upstream is down its last answer is served, said to be old, and upstream is not asked at every request', async () => {
  await versions();
  registry.intercept = down;
  artifacts.advance(minuteMs);
  const stale = await artifacts.get(name);
  expect([stale.status, stale.headers.get('warning')]).toEqual([200, expect.stringMatching(/^110 /)]);
  expect(Object.keys(((await stale.json()) as FakePackument).versions)).toEqual(['1.0.0']);
  expect(artifacts.warnings.filter((line) => line.includes('does not answer'))).toHaveLength(1);
  const asked = registry.requests.length;
  expect(await versions()).toEqual(['1.0.0']);
  expect(registry.requests).toHaveLength(asked);

  artifacts.advance(24 * 60 * minuteMs);
  expect(await versions()).toEqual(['1.0.0']);
  registry.intercept = () => false;
  artifacts.advance(11_000);
  const fresh = await artifacts.get(name);
  expect([fresh.status, fresh.headers.get('warning')]).toEqual([200, null]);
});

test('while upstream is down, what was never seen is 503 and what is sealed can be had', async () => {
  registry.intercept = down;
  const sealed = await artifacts.seal({ name, originVersion: '1.0.0', iteration: 1, bytes: Buffer.from('sealed') });
  expect(await status()).toBe(503);
  expect(await status(`${name}/1.0.0`)).toBe(503);
  expect(await status(`${name}/${sealed.version}`)).toBe(200);
  expect(await status(`${name}/-/${name}-${sealed.version}.tgz`)).toBe(200);
});

test('that upstream lacks a package is remembered for some seconds', async () => {
  expect([await status('absent'), await status('absent')]).toEqual([404, 404]);
  expect(registry.requests).toEqual(['absent']);
  await registry.publish('absent', { '1.0.0': {} });
  artifacts.advance(11_000);
  expect(await status('absent')).toBe(200);
});

test('a package that is taken down upstream is no longer served', async () => {
  await versions();
  registry.intercept = (_, response) => {
    response.writeHead(451).end();
    return true;
  };
  artifacts.advance(minuteMs);
  expect(await status()).toBe(404);
});

test.each([
  ['no JSON', '<html>'],
  ['a list', '[]'],
  ['another package', '{"name":"other","versions":{}}'],
  ['versions that are none', '{"name":"up","versions":3}'],
])('%s in place of a packument never takes the place of one', async (_, body) => {
  const lie = (_request: unknown, response: ServerResponse) => {
    response.writeHead(200, { etag: '"lie"' }).end(body);
    return true;
  };
  await versions();
  registry.intercept = lie;
  artifacts.advance(minuteMs);
  expect(await versions()).toEqual(['1.0.0']);
  expect(await status(`never-seen-${count}`)).toBe(503);
});

test.each([401, 403, 418, 429, 500])('status %i of upstream is no answer', async (code) => {
  registry.intercept = (_, response) => {
    response.writeHead(code).end();
    return true;
  };
  const response = await artifacts.get(name);
  expect([response.status, await response.json()]).toEqual([503, { error: expect.stringContaining(`status ${code}`) }]);
});

test('"not modified" about something that we do not have is no answer', async () => {
  registry.intercept = (_, response) => {
    response.writeHead(304).end();
    return true;
  };
  expect(await status()).toBe(503);
});

test('the path of the upstream and the scope of the name are kept in the address', async () => {
  const urls: unknown[] = [];
  registry.intercept = (request) => {
    urls.push(request.url);
    return false;
  };
  await status('@scope/name');
  expect(urls).toEqual(['/mirror/npm/@scope%2fname']);
});

test('a document larger than is accepted is refused before it is read', async () => {
  registry.intercept = (_, response) => {
    response.writeHead(200, { 'content-length': String(101 * 1024 * 1024) });
    response.write('{');
    return true;
  };
  const response = await artifacts.get(name);
  expect([response.status, await response.json()]).toEqual([503, { error: expect.stringContaining('more bytes') }]);
});

test('a tarball without end is broken off', async () => {
  await versions();
  let isClosed: Promise<unknown> | undefined;
  registry.intercept = (request, response) => {
    if (!request.url?.endsWith('.tgz')) return false;
    response.writeHead(200, { 'content-length': String(513 * 1024 * 1024) });
    isClosed = once(response, 'close');
    response.write('x');
    return true;
  };
  expect(await status(file)).toBe(503);
  await isClosed;
});

/** Every file of the cache. */
async function cacheFiles(): Promise<string[]> {
  const entries = await readdir(artifacts.cacheDir, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
}

async function damage(file: string): Promise<void> {
  const bytes = await readFile(file);
  bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 0xff;
  await writeFile(file, bytes);
  // The clock of a file system ticks too slowly to tell this writing from the one a moment ago.
  await utimes(file, new Date(), new Date(Date.now() + 1_000));
}

test('damaged files of the cache are noticed and fetched again', async () => {
  const before = new Set(await cacheFiles());
  await versions();
  expect(await status(file)).toBe(200);
  const ours = (await cacheFiles()).filter((cached) => !before.has(cached));
  expect(ours.length).toBeGreaterThanOrEqual(3);
  for (const cached of ours) await damage(cached);
  registry.requests.length = 0;
  const tarball = await artifacts.get(file);
  expect(Buffer.from(await tarball.arrayBuffer())).toEqual(registry.tarball(name, '1.0.0'));
  expect(registry.requests).toEqual([file]);
  artifacts.advance(minuteMs);
  expect(await versions()).toEqual(['1.0.0']);
  expect(artifacts.warnings.filter((line) => line.includes('damaged')).length).toBeGreaterThanOrEqual(2);
});

test('what was cached outlives a restart, is asked about once, and keeps working while upstream is down', async () => {
  await versions();
  await status(file);
  await using restarted = await startNpmArtifacts({
    upstreamUrl: registry.url,
    dataDir: path.resolve(artifacts.cacheDir, '..', '..'),
  });
  registry.requests.length = 0;
  registry.intercept = (request, response) => (request.url?.endsWith('.tgz') ? down(request, response) : false);
  expect((await restarted.get(file)).status).toBe(200);
  expect((await restarted.get(name)).status).toBe(200);
  expect(registry.requests).toEqual([name, name]);
  registry.intercept = down;
  restarted.advance(minuteMs);
  expect((await restarted.get(file)).status).toBe(200);
});

test('without room for a cache everything is still served', async () => {
  await using cramped = await startNpmArtifacts({ upstreamUrl: registry.url, cacheBytesMax: 0 });
  for (let round = 1; round <= 2; round++) {
    const tarballs = await Promise.all(Array.from({ length: 10 }, () => cramped.get(file)));
    for (const tarball of tarballs)
      expect(Buffer.from(await tarball.arrayBuffer())).toEqual(registry.tarball(name, '1.0.0'));
    expect(((await (await cramped.get(name)).json()) as FakePackument).name).toBe(name);
    cramped.advance(minuteMs);
  }
  expect((await readdir(cramped.cacheDir, { recursive: true })).filter((entry) => entry.length > 3)).toHaveLength(1);
});
