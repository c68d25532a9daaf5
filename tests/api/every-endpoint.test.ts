import { randomUUID } from 'node:crypto';
import { basePath, type Endpoint, type EndpointId, endpoints, errorsOf, scopes } from '@sealsmith/contract';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ApiAnswer, type ApiRequest, createApi, expectProblem, send } from '../support/api-client.ts';
import type { CommonCode } from '../support/common-codes.ts';
import { commonCodes } from '../support/common-codes.ts';
import { covers } from '../support/covers.ts';
import { importPlainTemplate, publishPlainTemplate } from '../support/plain-template.ts';
import { sampleRequests } from '../support/sample-requests.ts';
import { startTestService, type TestService, type TestTenant } from '../support/test-service.ts';

const rateLimit = 2;
let service: TestService;
let limited: TestService;
let broken: TestService;

beforeAll(async () => {
  service = await startTestService();
  await publishPlainTemplate(service.upstream);
  limited = await startTestService({ rateLimit });
  broken = await startTestService({ environment: { SEALSMITH_ROLES: 'api' } });
  await dropTables(broken);
});
afterAll(async () => {
  for (const each of [service, limited, broken]) await each[Symbol.asyncDispose]();
});

const allEndpoints = Object.values(endpoints) as (Endpoint & { id: EndpointId })[];

/** A tenant in which the sample of every endpoint that has an idempotency key succeeds. */
async function newTenant(): Promise<TestTenant> {
  const tenant = await service.createTenant(`t${randomUUID()}`);
  await importPlainTemplate(tenant.api);
  return tenant;
}

function ask({ id, method }: { id: EndpointId; method: string }, api: TestTenant['api'], request: ApiRequest = {}) {
  const { path, body } = sampleRequests[id];
  return api(method, path, { body, ...request });
}

/** Only what says who may ask stays. */
async function dropTables({ database: { db } }: TestService): Promise<void> {
  const kept = ['tokens', 'tenants', 'settings', 'users'];
  await sql`pragma foreign_keys = off`.execute(db);
  for (const { name, isView } of await db.introspection.getTables()) {
    if (!isView && !kept.includes(name) && !name.startsWith('sealing_rule_text_')) {
      await db.schema.dropTable(name).ifExists().execute();
    }
  }
}

const refusals: Record<
  CommonCode,
  { guarantee: string; refuse(endpoint: Endpoint & { id: EndpointId }): Promise<void> }
> = {
  unauthorized: {
    guarantee: 'without a valid token there is no answer, and the header says which scheme is asked for',
    refuse: async (endpoint) => {
      const { token } = service.tenant;
      const wrong = [null, 'ssm_', 'secret', `${token}0`, `${token.slice(0, -1)}${token.endsWith('0') ? '1' : '0'}`];
      for (const attempt of wrong) {
        const answer = await ask(endpoint, service.api, { token: attempt });
        expect(answer.json, String(attempt)).toMatchObject({ status: 401, code: 'unauthorized' });
        expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="sealsmith"');
      }
    },
  },
  forbidden: {
    guarantee: 'a token with every other scope is refused, naming the scope that it lacks',
    refuse: async (endpoint) => {
      const { token } = await service.createToken({ scopes: scopes.filter((scope) => scope !== endpoint.scope) });
      const answer = await ask(endpoint, service.api, { token });
      expect(answer.json).toMatchObject({ status: 403, code: 'forbidden' });
      expect(answer.json.detail).toContain(`"${endpoint.scope}"`);
      expect(answer.headers.has('www-authenticate')).toBe(false);
    },
  },
  rate_limited: {
    guarantee: 'past the limit a token is told when to go on, and others are not held up',
    refuse: async (endpoint) => {
      const { token } = await limited.createToken();
      for (let request = 1; request <= rateLimit; request++) {
        const allowed = await ask(endpoint, limited.api, { token });
        expect(allowed.status).not.toBe(429);
        expect(allowed.headers.get('ratelimit-limit')).toBe(String(rateLimit));
        expect(allowed.headers.get('ratelimit-remaining')).toBe(String(rateLimit - request));
      }
      const answer = await ask(endpoint, limited.api, { token });
      expect(answer.json).toMatchObject({ status: 429, code: 'rate_limited' });
      expect(Number(answer.headers.get('retry-after'))).toSatisfy((seconds) => seconds > 0 && seconds <= 60);
      expect(answer.headers.get('ratelimit-remaining')).toBe('0');
      const other = await limited.createToken();
      expect((await ask(endpoint, limited.api, other)).status).not.toBe(429);
    },
  },
  internal_error: {
    guarantee: 'what nobody foresaw is 500, and nothing of it is told',
    refuse: async (endpoint) => {
      const answer = await ask(endpoint, broken.api);
      expect(answer.json).toMatchObject({ status: 500, code: 'internal_error' });
      expect(answer.text).not.toMatch(/table|sql|select|insert|node_modules|\.ts/i);
    },
  },
  invalid_parameter: {
    guarantee: 'an unknown query parameter is named, with those that there are',
    refuse: async (endpoint) => {
      const { path, body } = sampleRequests[endpoint.id];
      const misspelt = `${path}${path.includes('?') ? '&' : '?'}limits=1`;
      const answer = await service.api(endpoint.method, misspelt, { body });
      expect(answer.json).toMatchObject({
        status: 422,
        code: 'invalid_parameter',
        errors: [{ location: 'query', name: 'limits' }],
      });
      const names = Object.keys(endpoint.query?.shape ?? {});
      expect(answer.json.detail).toContain(names.length > 0 ? `allowed are ${names.join(', ')}` : 'has none');
    },
  },
  payload_too_large: {
    guarantee: 'a body that is announced as larger than the limit is refused before it is sent',
    refuse: async (endpoint) => {
      const headers = {
        'content-type': 'application/json',
        'content-length': String((endpoint.body?.bytesMax ?? 0) + 1),
      };
      const answer = await ask(endpoint, service.api, { body: undefined, headers });
      expect(answer.json).toMatchObject({ status: 413, code: 'payload_too_large' });
    },
  },
  unsupported_media_type: {
    guarantee: 'another media type is refused',
    refuse: async (endpoint) => {
      for (const type of ['text/plain', 'application/xml', 'multipart/form-data; boundary=x', 'json']) {
        const answer = await ask(endpoint, service.api, { body: '{}', headers: { 'content-type': type } });
        expect(answer.json, type).toMatchObject({ status: 415, code: 'unsupported_media_type' });
      }
    },
  },
  malformed_request: {
    guarantee: 'a body that is not JSON is refused',
    refuse: async (endpoint) => {
      for (const body of ['{"a":', '', 'null null', '{"__proto__": {"a": 1}}']) {
        const answer = await ask(endpoint, service.api, { body });
        expect(answer.json, body).toMatchObject({ status: 400, code: 'malformed_request' });
      }
    },
  },
  idempotency_key_in_use: {
    guarantee: 'while the first request with a key is under way, a second one is told so',
    refuse: async (endpoint) => {
      const { api, scope } = await newTenant();
      const headers = { 'idempotency-key': 'retry-1' };
      expect((await ask(endpoint, api, { headers })).status).toBeLessThan(300);
      const { db } = service.database;
      const isFirst = await db
        .updateTable('idempotency_keys')
        .set({ status: null })
        .where('tenant_id', '=', scope.tenantId)
        .executeTakeFirst();
      expect(isFirst.numUpdatedRows).toBe(1n);
      const answer = await ask(endpoint, api, { headers });
      expect(answer.json).toMatchObject({ status: 409, code: 'idempotency_key_in_use' });
    },
  },
  idempotency_key_reused: {
    guarantee: 'a key that belongs to another request is refused',
    refuse: async (endpoint) => {
      const { api } = await newTenant();
      const headers = { 'idempotency-key': 'retry-1' };
      const other = await api('POST', '/projects', { body: { name: 'another' }, headers });
      expect(other.status).toBe(201);
      const answer = await ask(endpoint, api, { headers });
      expect(answer.json).toMatchObject({ status: 422, code: 'idempotency_key_reused' });
    },
  },
};

for (const endpoint of allEndpoints) {
  describe(`${endpoint.method} ${endpoint.path}`, () => {
    for (const code of commonCodes) {
      const { guarantee, refuse } = refusals[code];
      if (errorsOf(endpoint).includes(code)) covers(endpoint.id, code, guarantee, () => refuse(endpoint));
    }

    if (errorsOf(endpoint).includes('idempotency_key_reused')) {
      test('a repetition with the same key gets the first answer again and does nothing', async () => {
        const { api } = await newTenant();
        const headers = { 'idempotency-key': randomUUID() };
        const first = await ask(endpoint, api, { headers });
        const again = await ask(endpoint, api, { headers });
        expect(first.status).toBeLessThan(300);
        expect(first.headers.has('idempotent-replayed')).toBe(false);
        expect(again.headers.get('idempotent-replayed')).toBe('true');
        expect([again.status, again.json]).toEqual([first.status, first.json]);
        expect(again.headers.get('location')).toBe(first.headers.get('location'));
      });

      test('a key of another tenant is another key', async () => {
        const headers = { 'idempotency-key': 'shared' };
        const [acme, lookAlike] = [await newTenant(), await newTenant()];
        expect((await ask(endpoint, acme.api, { headers })).status).toBeLessThan(300);
        expect((await ask(endpoint, lookAlike.api, { headers })).headers.has('idempotent-replayed')).toBe(false);
      });

      test('a key that is empty, long or has spaces is 422', async () => {
        for (const key of ['k'.repeat(256), 'one two']) {
          const answer = await ask(endpoint, service.api, { headers: { 'idempotency-key': key } });
          expect(answer.json).toMatchObject({ status: 422, errors: [{ location: 'header', name: 'Idempotency-Key' }] });
        }
      });
    }
  });
}

describe('what belongs to no endpoint', () => {
  const paths = [...Map.groupBy(allEndpoints, ({ path }) => path)];

  test.each(paths)('%s answers other methods with 405 and those that it has', async (path, group) => {
    const methods = group.map(({ method }) => method as string);
    const allowed = [...methods, ...(methods.includes('GET') ? ['HEAD'] : [])];
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].filter(
      (each) => !allowed.includes(each),
    )) {
      const answer = await service.api(method, path.replaceAll(/\{\w+\}/g, 'x'));
      expect(answer.json, method).toMatchObject({ status: 405, code: 'method_not_allowed' });
      expect(answer.headers.get('allow')?.split(', ').sort()).toEqual(allowed.sort());
    }
  });

  test('HEAD is answered like GET, without a body', async () => {
    const answer = await service.api('HEAD', '/sealing-rules');
    expect([answer.status, answer.text]).toEqual([200, '']);
  });

  test('an unknown path is 404, below the base path only for those with a token', async () => {
    for (const path of [
      '/',
      '',
      '/sealing-rule',
      '/sealing-rules/',
      '/SEALING-RULES',
      '/fixes/a/b',
      '/..%2f..%2fetc',
    ]) {
      const answer = await service.api('GET', path);
      expect(answer.json, path).toMatchObject({ status: 404, code: 'not_found' });
      expect((await service.api('GET', path, { token: null })).status, path).toBe(401);
    }
    const outside = await send(`${service.url}/authenticated/api/v2/sealing-rules`, { method: 'GET', headers: {} });
    expectProblem(outside);
    expect(outside.json).toMatchObject({ status: 404, code: 'not_found' });
  });

  test('a path that cannot be decoded is 400', async () => {
    const answer = await send(`${service.url}${basePath}/fixes/%E0%A4%A`, { method: 'GET', headers: {} });
    expectProblem(answer);
    expect(answer.json).toMatchObject({ status: 400, code: 'malformed_request' });
  });
});

describe('tokens', () => {
  const list = (token: string): Promise<ApiAnswer> => service.api('GET', '/sealing-rules', { token });

  test('a revoked token is refused at the very next request', async () => {
    const { id, token } = await service.createToken();
    expect((await list(token)).status).toBe(200);
    await service.database.db
      .updateTable('tokens')
      .set({ revoked_on: new Date().toISOString() })
      .where('id', '=', id)
      .execute();
    expect((await list(token)).json).toMatchObject({ status: 401, detail: 'The access token has been revoked.' });
  });

  test('a token is refused from the moment at which it expires', async () => {
    const { token } = await service.createToken({ expiresOn: new Date(Date.now() - 1).toISOString() });
    expect((await list(token)).json).toMatchObject({ status: 401, detail: 'The access token has expired.' });
    const later = await service.createToken({ expiresOn: new Date(Date.now() + 60_000).toISOString() });
    expect((await list(later.token)).status).toBe(200);
  });

  test('the scheme is read without regard to case; another scheme and a token in the query are not read', async () => {
    const { token } = service.tenant;
    const anonymous = createApi(service.url, '');
    const withHeader = (authorization: string) =>
      anonymous('GET', '/sealing-rules', { token: null, headers: { authorization } });
    expect((await withHeader(`bearer ${token}`)).status).toBe(200);
    expect((await withHeader(`Basic ${Buffer.from(`:${token}`).toString('base64')}`)).status).toBe(401);
    expect((await withHeader(token)).status).toBe(401);
    expect((await anonymous('GET', `/sealing-rules?access_token=${token}`, { token: null })).status).toBe(401);
  });

  test('every answer names its request, and each by another id', async () => {
    const answers = [await list(service.tenant.token), await list(service.tenant.token), await list('none')];
    expect(new Set(answers.map(({ headers }) => headers.get('x-request-id'))).size).toBe(3);
  });
});
