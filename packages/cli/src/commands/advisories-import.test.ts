import { symlink } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { startContractServer } from '../testing/contract-server.ts';
import { run } from '../testing/run.ts';
import { temporaryFolder } from '../testing/temporary-folder.ts';

const clean = { imported: 1, unchanged: 2, skipped: 0, problems: [] };

describe('one file', () => {
  test.each([
    ['a.json', 'application/json'],
    ['a.JSONL', 'application/x-ndjson'],
    ['a.ndjson', 'application/x-ndjson'],
    ['a.yaml', 'application/yaml'],
    ['a.yml', 'application/yaml'],
    ['a.zip', 'application/zip'],
  ])('%s is sent as it is, as %s', async (name, mediaType) => {
    await using folder = await temporaryFolder({ [name]: '{\n"id": "X"\n}' });
    await using server = await startContractServer({ importAdvisories: () => ({ status: 200, body: clean }) });
    const { code, stdout, stderr } = await run(['advisories', 'import', name], { url: server.url, cwd: folder.path });
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: '1 imported, 2 unchanged, 0 skipped\n', stderr: '' });
    expect(server.received.map(({ body }) => body)).toEqual(['{\n"id": "X"\n}']);
    expect(server.received[0]?.headers['content-type']).toBe(mediaType);
  });

  test('a request that is repeated sends the whole file again', async () => {
    const replies = ['hang up' as const, { status: 200, body: clean }];
    await using folder = await temporaryFolder({ 'a.json': '{}' });
    await using server = await startContractServer({ importAdvisories: () => replies.shift() ?? 'hang up' });
    expect((await run(['advisories', 'import', 'a.json'], { url: server.url, cwd: folder.path })).code).toBe(0);
    expect(server.received.map(({ body }) => body)).toEqual(['{}', '{}']);
  });

  test('bad records are named by their place in the file: exit code 1', async () => {
    const report = { imported: 1, unchanged: 0, skipped: 1, problems: [{ name: 'input:2', reason: 'It has no id.' }] };
    await using folder = await temporaryFolder({ 'feed.jsonl': '{}\n{}\n' });
    await using server = await startContractServer({ importAdvisories: () => ({ status: 200, body: report }) });
    const { code, stdout } = await run(['advisories', 'import', 'feed.jsonl', '--json'], {
      url: server.url,
      cwd: folder.path,
    });
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toEqual({ ...report, problems: [{ name: 'feed.jsonl:2', reason: 'It has no id.' }] });
  });

  test('one that the service refuses: exit code 1 with its detail', async () => {
    await using folder = await temporaryFolder({ 'a.zip': 'x' });
    await using server = await startContractServer({
      importAdvisories: () => ({ code: 'payload_too_large', detail: 'That is too much.' }),
    });
    expect(await run(['advisories', 'import', 'a.zip'], { url: server.url, cwd: folder.path })).toMatchObject({
      code: 1,
      stderr: 'sealsmith: That is too much.\n',
    });
  });

  test.each([
    ['a.txt', 'is neither a folder nor a file named'],
    ['absent.json', 'cannot be read (ENOENT)'],
    ['empty', 'nothing in it that can be imported'],
  ])('%s: exit code 2', async (name, text) => {
    await using folder = await temporaryFolder({ 'a.txt': '', 'empty/readme.md': '' });
    const { code, stderr } = await run(['advisories', 'import', name], { cwd: folder.path });
    expect(code).toBe(2);
    expect(stderr).toContain(text);
  });
});

describe('a folder', () => {
  test('records of a file each travel together, a line each; everything else alone; links are not followed', async () => {
    await using folder = await temporaryFolder({
      'b/two.json': '\uFEFF{\r\n  "id": "2",\n  "details": "a\\nb"\r\n}\n',
      'a.json': '{"id": "1"}',
      'c.yaml': 'id: 3\n',
      'list.json': ' [{"id": "4"}]\n',
      '.git/x.json': '{"id": "hidden"}',
      'note.txt': 'no record',
    });
    await symlink('a.json', path.join(folder.path, 'link.json'));
    await using server = await startContractServer({ importAdvisories: () => ({ status: 200, body: clean }) });
    const { code, stdout } = await run(['advisories', 'import', folder.path], { url: server.url });
    expect({ code, stdout }).toEqual({ code: 0, stdout: '3 imported, 6 unchanged, 0 skipped\n' });
    const sent = server.received.map(({ headers, body }) => [headers['content-type'], body]);
    expect(sent).toEqual([
      ['application/yaml', 'id: 3\n'],
      ['application/json', ' [{"id": "4"}]\n'],
      ['application/x-ndjson', '{"id": "1"}\n{   "id": "2",   "details": "a\\nb" }\n'],
    ]);
  });

  test('a bad line is named by its file, and what cannot be sent does not keep the rest from it', async () => {
    await using folder = await temporaryFolder({
      'a.json': '{}',
      'b.json': '{"id": 1}',
      'c.json': '\n',
      'd.json': Buffer.from([0x7b, 0xff]),
      'e.zip': 'no zip',
    });
    await using server = await startContractServer({
      importAdvisories: ({ headers }) =>
        headers['content-type'] === 'application/zip'
          ? { code: 'payload_too_large', detail: 'That is too much.' }
          : {
              status: 200,
              body: { ...clean, skipped: 1, problems: [{ name: 'input:2', reason: 'Its id is no text.' }] },
            },
    });
    const { code, stdout } = await run(['advisories', 'import', '.', '--json'], { url: server.url, cwd: folder.path });
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      imported: 1,
      skipped: 4,
      problems: [
        { name: 'c.json', reason: 'The file is empty.' },
        { name: 'd.json', reason: 'The file is not UTF-8 text.' },
        { name: 'e.zip', reason: 'That is too much.' },
        { name: 'b.json', reason: 'Its id is no text.' },
      ],
    });
  });

  test('over 2,000 records go in several requests', async () => {
    const files = Object.fromEntries(Array.from({ length: 2001 }, (_, index) => [`${index}.json`, '{}']));
    await using folder = await temporaryFolder(files);
    await using server = await startContractServer({ importAdvisories: () => ({ status: 200, body: clean }) });
    await run(['advisories', 'import', folder.path], { url: server.url });
    expect(server.received.map(({ body }) => String(body).split('\n').length - 1)).toEqual([2000, 1]);
  });

  test('over 8 MiB of records go in several requests, and a larger one is streamed alone', async () => {
    const record = (bytes: number) => JSON.stringify({ id: 'x'.repeat(bytes) });
    const mebibyte = 1024 * 1024;
    await using folder = await temporaryFolder({
      'a.json': record(5 * mebibyte),
      'b.json': record(5 * mebibyte),
      'c.json': record(9 * mebibyte),
    });
    await using server = await startContractServer({ importAdvisories: () => ({ status: 200, body: clean }) });
    await run(['advisories', 'import', folder.path], { url: server.url });
    const sent = server.received.map(({ headers, body }) => [
      headers['content-type'],
      Math.floor(String(body).length / mebibyte),
    ]);
    expect(sent).toEqual([
      ['application/x-ndjson', 5],
      ['application/json', 9],
      ['application/x-ndjson', 5],
    ]);
  });

  test('progress is shown on a terminal only', async () => {
    await using folder = await temporaryFolder({ 'a.json': '{}' });
    await using server = await startContractServer({ importAdvisories: () => ({ status: 200, body: clean }) });
    const shown = await run(['advisories', 'import', folder.path], { url: server.url, isTTY: true });
    expect(shown.stderr).toContain('1 files to a.json');
    expect((await run(['advisories', 'import', folder.path], { url: server.url })).stderr).toBe('');
  });
});
