import { request as httpRequest } from 'node:http';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { revokeToken } from '../../access/token-store.ts';
import { systemClock } from '../../platform/clock.ts';
import { type FakeRegistry, startFakeRegistry } from '../testing/fake-registry.ts';
import { startNpmArtifacts, type TestArtifacts } from '../testing/start-npm-artifacts.ts';

let registry: FakeRegistry;
let artifacts: TestArtifacts;
beforeAll(async () => {
  registry = await startFakeRegistry();
  await registry.publish('ejs', { '1.0.0': {} });
  artifacts = await startNpmArtifacts({ upstreamUrl: registry.url });
});
afterAll(async () => {
  await artifacts[Symbol.asyncDispose]();
  await registry[Symbol.asyncDispose]();
});

function basic(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
}

async function answerTo(authorization: string | null, path = 'ejs', method = 'GET') {
  const response = await fetch(`${artifacts.url}/${path}`, {
    method,
    headers: authorization === null ? {} : { authorization },
  });
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Record<string, unknown>,
  };
}

test.each([
  ['no credentials', () => null],
  ['a token that is none', () => 'Bearer nonsense'],
  ['an unknown scheme', () => `Digest ${artifacts.token}`],
  ['the token as user', () => basic(artifacts.token, '')],
  ['Basic without a colon', () => `Basic ${Buffer.from(artifacts.token).toString('base64')}`],
  ['Basic that is not base64', () => 'Basic %%%'],
  ['a wrong password of an impossible project', () => basic('../x', 'nonsense')],
])('%s: 401, with the schemes that are known', async (_, authorization) => {
  for (const path of ['ejs', 'ejs/-/ejs-1.0.0.tgz', '-/ping', '..%2f..', 'no-such-package']) {
    const { status, headers, body } = await answerTo(authorization(), path);
    expect(status).toBe(401);
    expect(headers.get('www-authenticate')).toBe('Basic realm="sealsmith", Bearer realm="sealsmith"');
    expect(Object.keys(body)).toEqual(['error']);
  }
});

test.each(['', 'storefront', 'a.b_c-1'])('Basic with the project %j and the token as password', async (project) => {
  expect((await answerTo(basic(project, artifacts.token))).status).toBe(200);
});

test('the scheme is read without regard to case', async () => {
  expect((await answerTo(`bearer ${artifacts.token}`)).status).toBe(200);
  expect((await answerTo(basic('storefront', artifacts.token).replace('Basic', 'BASIC'))).status).toBe(200);
});

test.each(['..', 'a/b', 'a b', 'ünï', 'x'.repeat(256)])(
  'a valid token under the impossible project %j: 400 that says so',
  async (project) => {
    const { status, body } = await answerTo(basic(project, artifacts.token));
    expect(status).toBe(400);
    expect(body.error).toContain('name of the project');
  },
);

test('a token without the scope for artifacts: 403', async () => {
  const { token } = await artifacts.createTenantToken('readers', ['read', 'scans', 'rules', 'fixes']);
  const { status, body } = await answerTo(`Bearer ${token}`);
  expect([status, body.error]).toEqual([403, 'This needs a token with the scope "artifacts".']);
});

test('a revoked token does not open another tarball', async () => {
  const { token, scope } = await artifacts.createTenantToken('leavers');
  expect((await answerTo(`Bearer ${token}`)).status).toBe(200);
  const row = await artifacts.database.db
    .selectFrom('tokens')
    .select('id')
    .where('tenant_id', '=', scope.tenantId)
    .executeTakeFirstOrThrow();
  await revokeToken(artifacts.database.db, scope, systemClock, row.id);
  expect((await answerTo(`Bearer ${token}`)).status).toBe(401);
});

test('ping and whoami', async () => {
  expect((await answerTo(`Bearer ${artifacts.token}`, '-/ping')).body).toEqual({});
  expect((await answerTo(basic('storefront', artifacts.token), '-/whoami')).body).toEqual({ username: 'storefront' });
});

test.each([
  ['PUT', 'ejs', 405, 'read-only'],
  ['DELETE', 'ejs/-rev/1', 404, 'nothing at this path'],
  ['DELETE', 'ejs/-/ejs-1.0.0.tgz', 405, 'read-only'],
  ['POST', '-/npm/v1/security/advisories/bulk', 404, 'npm audit'],
  ['POST', '-/npm/v1/security/audits/quick', 404, 'npm audit'],
  ['GET', '-/v1/search?text=ejs', 404, 'cannot be searched'],
  ['PUT', '-/user/org.couchdb.user:me', 404, 'no log-in'],
  ['GET', '-/all', 404, 'does not have this endpoint'],
])('%s %s: %i in words', async (method, path, status, words) => {
  const answer = await answerTo(`Bearer ${artifacts.token}`, path, method);
  expect(answer.status).toBe(status);
  expect(answer.body).toEqual({ error: expect.stringContaining(words) });
  if (status === 405) expect(answer.headers.get('allow')).toBe('GET, HEAD');
});

test('what somebody tries to publish is refused before it is read', async () => {
  const { status, body } = await new Promise<{ status: number | undefined; body: unknown }>((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${artifacts.token}`,
      'content-type': 'application/json',
      'content-length': '1000000',
    };
    const request = httpRequest(`${artifacts.url}/ejs`, { method: 'PUT', headers });
    request.on('error', reject);
    request.on('response', async (response) => {
      resolve({ status: response.statusCode, body: await json(response) });
      request.destroy();
    });
    request.write('{');
  });
  expect([status, body]).toEqual([405, { error: expect.stringContaining('PUT') }]);
});

/** Paths as they are, which `fetch` would tidy up. */
async function rawGet(path: string) {
  const { origin } = new URL(artifacts.url);
  return new Promise<{ status: number; text: string }>((resolve, reject) => {
    const headers = { authorization: `Bearer ${artifacts.token}` };
    const request = httpRequest(origin, { path, headers, agent: false }, async (response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk);
      resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() });
    });
    request.on('error', reject).end();
  });
}

test.each([
  '/../ejs',
  '/%2e%2e/%2e%2e/etc/passwd',
  '/ejs/-/..%2f..%2f..%2fetc%2fpasswd',
  '/ejs/-/%2e%2e%2fejs-1.0.0.tgz',
  '/ejs%2F..%2F..',
  '/ejs/-/..\\..\\ejs-1.0.0.tgz',
  '/ejs%00.tgz',
  '/ejs%0d%0aX-Injected:%201',
  '/@scope%2f..%2f..',
  '/ejs/..;/-/ejs-1.0.0.tgz',
  '//ejs',
  '/ejs//-/ejs-1.0.0.tgz',
])('%s leads nowhere: 400 or 404 in the form of npm, and upstream hears nothing', async (path) => {
  registry.requests.length = 0;
  const { status, text } = await rawGet(`/artifacts/npm${path}`);
  expect([400, 404]).toContain(status);
  expect(Object.keys(JSON.parse(text))).toEqual(['error']);
  expect(registry.requests).toEqual([]);
});

test('a prefix that only the router can read is not ours', async () => {
  expect((await rawGet('/artifacts/%6epm/ejs')).status).toBe(404);
});
