import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { Writable } from 'node:stream';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest';
import { openDatabase } from '../../packages/server/src/database/open.ts';
import { createLogger } from '../../packages/server/src/platform/logger.ts';
import { type ApiAnswer, send } from '../support/api-client.ts';
import { importPlainTemplate, plainTemplateFix, publishPlainTemplate } from '../support/plain-template.ts';
import { createDatabase } from '../support/postgres-server.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

const openApiFile = path.resolve(import.meta.dirname, '../../docs/api/openapi.json');

const get = (url: string, route: string): Promise<ApiAnswer> => send(url + route, { method: 'GET', headers: {} });

describe('what those who run the service ask', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service[Symbol.asyncDispose]());

  test('it is alive and ready, without a token', async () => {
    expect((await get(service.url, '/healthz')).json).toEqual({ status: 'alive' });
    const ready = await get(service.url, '/readyz');
    expect([ready.status, ready.json]).toEqual([200, { status: 'ready' }]);
  });

  test('the OpenAPI document is the committed one', async () => {
    const { json } = await get(service.url, '/openapi.json');
    expect(json).toEqual(JSON.parse(await readFile(openApiFile, 'utf8')));
  });

  test('metrics count requests by operation and status, and name no tenant', async () => {
    await service.api('GET', '/sealing-rules');
    await service.api('GET', '/fixes/secret-id');
    const { text, headers } = await get(service.url, '/metrics');
    expect(headers.get('content-type')).toMatch(/^text\/plain; version=/);
    const count = /^sealsmith_http_request_duration_seconds_count\{operation="listSealingRules",status="200"\} 1$/m;
    expect(text).toMatch(count);
    expect(text).toMatch(/operation="getFix",status="404"/);
    expect(text).not.toContain('secret-id');
    expect(text).not.toContain('/authenticated/');
  });

  test('every answer carries the headers that keep a browser from using it as a page', async () => {
    for (const route of ['/healthz', '/openapi.json', '/authenticated/api/v1/sealing-rules', '/nothing']) {
      const { headers } = await get(service.url, route);
      expect(headers.get('x-content-type-options'), route).toBe('nosniff');
      expect(headers.get('content-security-policy'), route).toContain("default-src 'none'");
      expect(headers.has('x-powered-by')).toBe(false);
    }
  });

  test('headers over 16 KiB are refused', async () => {
    const answer = await fetch(`${service.url}/healthz`, { headers: { 'x-long': 'x'.repeat(17 * 1024) } });
    expect(answer.status).toBe(431);
  });
});

test('a service whose database is gone is alive, is not ready, and still stops', async () => {
  await using postgres = await openDatabase({ kind: 'postgres', url: `${inject('postgresBaseUrl')}/postgres` });
  const databaseUrl = await createDatabase(inject('postgresBaseUrl'));
  await using service = await startTestService({ databaseUrl, environment: { SEALSMITH_ROLES: 'api' } });
  await service.api('GET', '/sealing-rules');
  await sql`drop database ${sql.id(new URL(databaseUrl).pathname.slice(1))} with (force)`.execute(postgres.db);

  const ready = await get(service.url, '/readyz');
  const answer = await service.api('GET', '/sealing-rules');

  expect([ready.status, ready.json]).toEqual([503, { status: 'not ready' }]);
  expect((await get(service.url, '/healthz')).status).toBe(200);
  expect(answer.json).toMatchObject({ status: 500, code: 'internal_error' });
  expect(answer.text).not.toMatch(/postgres|connection|database/i);
  await expect(service.stop()).resolves.toBeUndefined();
});

test('a port that is taken is named with the variable that chooses another', async () => {
  await using first = await startTestService();
  const { port } = new URL(first.url);

  const second = startTestService({ environment: { SEALSMITH_PORT: port } });

  await expect(second).rejects.toThrow(new RegExp(`${port}.*SEALSMITH_PORT`));
});

test('a graceful stop finishes the request in flight and takes no other', async () => {
  await using service = await startTestService({ environment: { SEALSMITH_ROLES: 'api' } });
  await publishPlainTemplate(service.upstream);
  await importPlainTemplate(service.api);
  const release = service.upstream.hold();
  const before = service.upstream.requests.length;
  const inFlight = service.api('POST', '/generate-fix', { body: plainTemplateFix });
  await vi.waitFor(() => expect(service.upstream.requests.length).toBeGreaterThan(before));

  const stopped = service.stop();
  await vi.waitFor(() => expect(get(service.url, '/healthz')).rejects.toThrow());
  release();

  expect((await inFlight).status).toBe(202);
  await stopped;
  const fixes = await service.database.db.selectFrom('fixes').select('status').execute();
  expect(fixes).toEqual([{ status: 'queued' }]);
});

test('the log holds every request and its failures, and no token, body or query', async () => {
  const lines: string[] = [];
  const destination = new Writable({
    write: (chunk, _encoding, done) => {
      lines.push(String(chunk));
      done();
    },
  });
  await using service = await startTestService({
    log: createLogger('trace', destination),
    environment: { SEALSMITH_ROLES: 'api', SEALSMITH_UPSTREAM_NPM_TOKEN: 'upstream-secret' },
  });
  const { token } = service.tenant;
  const secret = 'body-secret';

  const refused = await service.api('GET', `/sealing-rules?cursor=${secret}`, { headers: { cookie: 'cookie-secret' } });
  await service.api('GET', `/sealing-rules?access_token=${token}`, { token: null });
  await service.api('POST', '/projects', { body: { name: secret, password: secret } });
  await service.api('GET', '/sealing-rules', { token: `${token}x` });
  await service.database.db.schema.dropTable('audit_entries').execute();
  const failed = await service.api('POST', '/projects', { body: { name: 'storefront' } });
  await service.stop();

  const log = lines.join('');
  for (const text of [token, token.slice(4), 'upstream-secret', 'cookie-secret', secret])
    expect(log).not.toContain(text);
  const entries = lines.map((line): Record<string, unknown> => JSON.parse(line));
  const idOf = ({ json }: ApiAnswer) => json.request_id;
  expect(entries).toContainEqual(expect.objectContaining({ reqId: idOf(refused), msg: 'request', status: 400 }));
  expect(entries).toContainEqual(
    expect.objectContaining({ reqId: idOf(failed), msg: 'request failed', level: 'error' }),
  );
});
