import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openDatabase } from '../database/open.ts';
import { boundUpload } from './bounded-upload.ts';
import { importAdvisoriesRoute } from './import-advisories.route.ts';
import { osvRecordOf } from './testing/osv-records.ts';
import { callerOf, contextOf, createScene } from './testing/scene.ts';
import { storedZip } from './testing/stored-zip.ts';

let temporaryDir: string;
beforeEach(async () => {
  temporaryDir = await mkdtemp(path.join(tmpdir(), 'sealsmith-test-'));
});
afterEach(() => rm(temporaryDir, { recursive: true }));

const record = (id: string) => JSON.stringify(osvRecordOf({ id, packages: ['ejs'] }));

async function createImport() {
  const database = await openDatabase({ kind: 'sqlite', file: ':memory:' });
  const { clock, refreshStates, acme } = await createScene(database);
  const route = importAdvisoriesRoute({ database, clock, refreshStates, temporaryDir });
  const upload = async (
    chunks: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>,
    mediaType: string,
  ) => {
    const context = contextOf(callerOf(acme), { stream: Readable.from(chunks), mediaType });
    return route.handle({ params: {}, query: {}, body: undefined }, context);
  };
  const audited = () =>
    database.db.selectFrom('audit_entries').select(['tenant_id', 'action', 'actor', 'detail']).execute();
  return { database, acme, upload, audited, [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]() };
}

test.each([
  ['application/json', [`[${record('CVE-2026-1')},`, `${record('CVE-2026-2')}]`]],
  ['application/x-ndjson', [`${record('CVE-2026-1')}\n`, record('CVE-2026-2')]],
  ['application/zip', [storedZip({ 'a.json': record('CVE-2026-1'), 'b.json': record('CVE-2026-2') })]],
])('an upload of %s is imported, audited and leaves no file', async (mediaType, chunks) => {
  await using scene = await createImport();

  const reply = await scene.upload(chunks, mediaType);

  expect(reply).toEqual({ status: 200, body: { imported: 2, unchanged: 0, skipped: 0, problems: [] } });
  expect(await scene.audited()).toEqual([
    {
      tenant_id: scene.acme.tenantId,
      action: 'advisories.imported',
      actor: `token-${scene.acme.tenantId}`,
      detail: JSON.stringify({ imported: 2, unchanged: 0, skipped: 0 }),
    },
  ]);
  expect(await readdir(temporaryDir)).toEqual([]);
});

test('a zip that breaks off leaves no file and no record', async () => {
  await using scene = await createImport();
  const breaking = async function* () {
    yield 'PK\u0003\u0004';
    throw new Error('the connection broke');
  };

  await expect(scene.upload(breaking(), 'application/zip')).rejects.toThrow('the connection broke');

  expect(await readdir(temporaryDir)).toEqual([]);
});

test('a stream that breaks off leaves what came whole, audited', async () => {
  await using scene = await createImport();
  const breaking = async function* () {
    for (let n = 0; n < 600; n++) yield `${record(`CVE-2026-${n}`)}\n`;
    throw new Error('the connection broke');
  };

  await expect(scene.upload(breaking(), 'application/x-ndjson')).rejects.toThrow('the connection broke');

  expect(await scene.audited()).toMatchObject([{ detail: expect.stringContaining('"imported":500') }]);
});

test('an upload ends where it has more bytes than allowed', async () => {
  const endless = async function* () {
    for (;;) yield Buffer.alloc(64);
  };
  const received: unknown[] = [];
  const reading = async () => {
    for await (const chunk of boundUpload(endless(), 1_000)) received.push(chunk);
  };

  await expect(reading()).rejects.toMatchObject({ code: 'payload_too_large' });
  expect(received.length).toBeLessThanOrEqual(16);
});
