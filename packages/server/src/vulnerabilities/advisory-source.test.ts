import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sourceLimits } from './advisory-source/source-value.ts';
import { type AdvisoryInput, readAdvisories } from './advisory-source.ts';
import { zipOf } from './testdata/zip-of.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'advisory-source-'));
});
afterAll(() => rm(folder, { recursive: true }));

const modified = '2024-02-21T05:27:47Z';

function json(id: string, rest: object = {}): string {
  return JSON.stringify({ id, modified, ...rest });
}

/** What a source yields, a line each: `name = id` or `name ! problem`. */
async function outline(input: AdvisoryInput, limits = sourceLimits): Promise<string[]> {
  const lines: string[] = [];
  for await (const item of readAdvisories(input, limits)) {
    lines.push('record' in item ? `${item.name} = ${item.record.id}` : `${item.name} ! ${item.problem}`);
  }
  return lines;
}

async function outlineFile(name: string, content: string | Uint8Array, limits = sourceLimits): Promise<string[]> {
  const file = path.join(folder, name);
  await writeFile(file, content);
  return outline({ path: file }, limits);
}

describe('JSON', () => {
  test('one record, a list, and records one after the other are all read', async () => {
    expect(await outlineFile('one.json', json('X-1'))).toEqual(['one.json = X-1']);
    expect(await outlineFile('list.json', ` [ ${json('X-1')} ,\n${json('X-2')} ] \n`)).toEqual([
      'list.json[0] = X-1',
      'list.json[1] = X-2',
    ]);
    expect(await outlineFile('many.json', `${json('X-1')}\n${json('X-2')}`)).toEqual([
      'many.json = X-1',
      'many.json#2 = X-2',
    ]);
    expect(await outlineFile('none.json', '[]')).toEqual([]);
  });

  test('brackets, quotes and escapes inside texts do not end a record, wherever a chunk is cut', async () => {
    const details = 'a "]}" \\ \\" { [ é \u{1f512} \\';
    const bytes = Buffer.from(`\ufeff[${json('X-1', { details })},${json('X-2', { details })}]`);
    for (let size = 1; size < 12; size += 1) {
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
        bytes.subarray(index * size, (index + 1) * size),
      );
      const found = [];
      for await (const item of readAdvisories({ stream: Readable.from(chunks), mediaType: 'application/json' }))
        found.push(item);
      expect(found).toMatchObject([
        { name: 'input[0]', record: { id: 'X-1', details } },
        { name: 'input[1]', record: { id: 'X-2', details } },
      ]);
    }
  });

  test('a bad record costs itself only', async () => {
    expect(await outlineFile('bad.json', `[${json('X-1')},{"id":"X-2"},${json('X-3')}]`)).toEqual([
      'bad.json[0] = X-1',
      'bad.json[1] ! modified: is missing',
      'bad.json[2] = X-3',
    ]);
  });

  test.each([
    ['', ['cut.json ! the JSON is empty']],
    [
      `[${json('X-1')},{"id":"X-`,
      [
        'cut.json[0] = X-1',
        'cut.json[1] ! the JSON is broken: it ends in the middle of a record; 1 records before were read',
      ],
    ],
    [
      `[${json('X-1')},`,
      [
        'cut.json[0] = X-1',
        'cut.json[1] ! the JSON is broken: it ends before the list does; 1 records before were read',
      ],
    ],
    [
      `[${json('X-1')},{x:1},${json('X-3')}]`,
      ['cut.json[0] = X-1', 'cut.json[1] ! the record is not valid JSON; what follows it was not read'],
    ],
    [
      '[1]',
      ['cut.json[0] ! the JSON is broken: something else than a record stands at byte 1; 0 records before were read'],
    ],
    [
      `${json('X-1')} x`,
      [
        'cut.json = X-1',
        'cut.json#2 ! the JSON is broken: something else than a record stands at byte 47; 1 records before were read',
      ],
    ],
    [
      `[${json('X-1')}] []`,
      [
        'cut.json[0] = X-1',
        'cut.json[1] ! the JSON is broken: something else than a record stands at byte 49; 1 records before were read',
      ],
    ],
    [
      `[${json('X-1')},]`,
      [
        'cut.json[0] = X-1',
        'cut.json[1] ! the JSON is broken: something else than a record stands at byte 48; 1 records before were read',
      ],
    ],
  ])('where it breaks it says so, after the records before: %j', async (content, lines) => {
    expect(await outlineFile('cut.json', content)).toEqual(lines);
  });

  test('a record beyond the limit is passed over and the next one is read', async () => {
    const long = json('X-2', { details: 'x'.repeat(5_000) });
    expect(
      await outlineFile('long.json', `[${json('X-1')},${long},${json('X-3')}]`, {
        ...sourceLimits,
        recordBytesMax: 1_000,
      }),
    ).toEqual(['long.json[0] = X-1', 'long.json[1] ! the record is longer than 1000 bytes', 'long.json[2] = X-3']);
  });
});

describe('JSON lines', () => {
  test('each line stands for itself: broken, blank and overlong ones cost nothing else', async () => {
    const long = json('X-5', { details: 'x'.repeat(5_000) });
    const content = `\ufeff${json('X-1')}\r\n{"id":\n\n${json('X-4')}\n${long}\n${json('X-6')}`;
    expect(await outlineFile('feed.jsonl', content, { ...sourceLimits, recordBytesMax: 1_000 })).toEqual([
      'feed.jsonl:1 = X-1',
      'feed.jsonl:2 ! the line is not valid JSON',
      'feed.jsonl:4 = X-4',
      'feed.jsonl:5 ! the line is longer than 1000 bytes',
      'feed.jsonl:6 = X-6',
    ]);
  });
});

describe('YAML', () => {
  const yaml = (id: string) => `id: ${id}\nmodified: ${modified}\n`;

  test('one or several documents are read, whatever stands between them', async () => {
    expect(await outlineFile('one.yaml', yaml('X-1'))).toEqual(['one.yaml = X-1']);
    const several = `# feed\n%YAML 1.2\n---\n${yaml('X-1')}---\n${yaml('X-2')}...\n# end\n---\r\n${yaml('X-3')}`;
    expect(await outlineFile('several.yml', several)).toEqual([
      'several.yml = X-1',
      'several.yml#2 = X-2',
      'several.yml#3 = X-3',
    ]);
  });

  test('a version is not mistaken for a number, and null is nothing', async () => {
    const file = path.join(folder, 'numbers.yaml');
    await writeFile(
      file,
      `${yaml('X-1')}withdrawn: null\naffected:\n- package: {ecosystem: npm, name: x}\n  versions: [1.10, 2e1, yes]\n`,
    );
    const found = [];
    for await (const item of readAdvisories({ path: file })) found.push(item);
    expect(found).toMatchObject([{ record: { withdrawn: null, affected: [{ versions: ['1.10', '2e1', 'yes'] }] } }]);
  });

  test('a broken document costs itself only', async () => {
    const [first, second] = await outlineFile('broken.yaml', `id: [\n---\n${yaml('X-2')}`);
    expect(first).toMatch(/^broken\.yaml ! the YAML cannot be read: /);
    expect(second).toBe('broken.yaml#2 = X-2');
  });

  test('documents made to explode are refused quickly', async () => {
    const bomb = [
      'a: &a [x, x, x, x, x, x, x, x, x]',
      ...'bcdefghijk'.split('').map((key, index) => `${key}: &${key} [${`*${'abcdefghijk'[index]}, `.repeat(9)}x]`),
    ];
    expect(await outlineFile('aliases.yaml', bomb.join('\n'))).toEqual([
      expect.stringMatching(/^aliases\.yaml ! .*aliases?/),
    ]);
    expect(await outlineFile('keys.yaml', `${yaml('X-1')}${'? '.repeat(50_000)}`)).toEqual([
      expect.stringMatching(/^keys\.yaml ! the YAML/),
    ]);
    expect(await outlineFile('key.yaml', `${yaml('X-1')}? [a, b]\n: c\n`)).toEqual([
      expect.stringMatching(/^key\.yaml ! the YAML/),
    ]);
    expect(await outlineFile('deep.yaml', '['.repeat(100_000))).toEqual([
      expect.stringMatching(/^deep\.yaml ! the YAML/),
    ]);
    expect(
      await outlineFile('long.yaml', `${'a: b\n'.repeat(300)}---\n${yaml('X-2')}`, {
        ...sourceLimits,
        yamlBytesMax: 1_000,
      }),
    ).toEqual(['long.yaml ! the document is longer than 1000 bytes', 'long.yaml#2 = X-2']);
  }, 10_000);

  test('a few aliases are in order', async () => {
    expect(await outlineFile('alias.yaml', `${yaml('X-1')}aliases: &ids [X-2]\nrelated: *ids\n`)).toEqual([
      'alias.yaml = X-1',
    ]);
  });
});

describe('zip', () => {
  test('entries of every format are read in place, and what is no record is left alone', async () => {
    const zip = zipOf([
      { name: 'npm/a.json', content: json('X-1'), method: 0 },
      { name: 'README.md', content: '# hello' },
      { name: '.github/workflows/ci.yml', content: 'on: push' },
      { name: 'b.jsonl', content: `${json('X-2')}\n${json('X-3')}` },
      { name: 'c.yaml', content: `id: X-4\nmodified: ${modified}` },
      { name: 'inner.zip', content: 'PK' },
    ]);
    const lines = ['npm/a.json = X-1', 'b.jsonl:1 = X-2', 'b.jsonl:2 = X-3', 'c.yaml = X-4'];
    expect(await outlineFile('all.zip', zip)).toEqual(lines.map((line) => `all.zip/${line}`));
  });

  test('a name that leads out of the archive is a label like any other and cannot forge log lines', async () => {
    const utf8Name = 0x800;
    const zip = zipOf([
      { name: '../../etc\u001b[2J\n\u202e.json', content: json('X-1'), flags: utf8Name },
      { name: '/abs\\x.json', content: json('X-2') },
      { name: `${'long/'.repeat(200)}x.json`, content: json('X-3') },
    ]);
    const [up, absolute, long] = await outlineFile('odd.zip', zip);
    expect([up, absolute]).toEqual(['odd.zip/../../etc?[2J??.json = X-1', 'odd.zip//abs/x.json = X-2']);
    expect(long).toMatch(/^….{294}x\.json = X-3$/);
  });

  test('an entry that lies about itself is a problem and the next one is read', async () => {
    const zip = zipOf([
      { name: 'crc.json', content: json('X-1'), crc: 1 },
      { name: 'secret.json', content: json('X-2'), flags: 1 },
      { name: 'bomb.json', content: json('X-3', { details: 'x'.repeat(100_000) }), declaredSize: 100 },
      { name: 'large.json', content: json('X-4', { details: 'x'.repeat(5_000) }) },
      { name: 'lzma.json', content: json('X-6'), method: 14 },
      { name: 'good.json', content: json('X-5') },
    ]);
    expect(await outlineFile('lies.zip', zip, { ...sourceLimits, recordBytesMax: 1_000 })).toEqual([
      'lies.zip/crc.json ! the entry does not match its checksum',
      'lies.zip/secret.json ! the entry is encrypted',
      'lies.zip/bomb.json ! the entry cannot be unpacked',
      'lies.zip/large.json ! the entry unpacks to more than 1000 bytes',
      'lies.zip/lzma.json ! the entry is packed with method 14, which is not supported',
      'lies.zip/good.json = X-5',
    ]);
  });

  test('a truncated zip, too many entries and too many bytes end in a problem', async () => {
    const zip = zipOf([1, 2, 3].map((n) => ({ name: `${n}.json`, content: json(`X-${n}`) })));
    expect(await outlineFile('cut.zip', zip.subarray(0, -30))).toEqual([
      'cut.zip ! the zip is broken or cut off: it has no table of contents',
    ]);
    expect(await outlineFile('count.zip', zip, { ...sourceLimits, entriesMax: 2 })).toEqual([
      'count.zip ! the zip has more than 2 entries',
    ]);
    expect(await outlineFile('bytes.zip', zip, { ...sourceLimits, unpackedBytesMax: 100 })).toEqual([
      'bytes.zip/1.json = X-1',
      'bytes.zip/2.json = X-2',
      'bytes.zip/3.json ! the zip unpacks to more than 100 bytes; the rest was not read',
    ]);
  });

  test('a table of contents that breaks off is reported after what it listed', async () => {
    const zip = zipOf([
      { name: '1.json', content: json('X-1') },
      { name: '2.json', content: json('X-2') },
    ]);
    zip.write('XX', zip.lastIndexOf('PK\u0001\u0002'));
    expect(await outlineFile('table.zip', zip)).toEqual([
      'table.zip/1.json = X-1',
      'table.zip ! the zip is broken after 1 entries',
    ]);
  });
});

describe('folder', () => {
  test('is walked in order; links, pipes, dot folders and other files are left alone', async () => {
    const root = path.join(folder, 'tree');
    await mkdir(path.join(root, 'b', 'c'), { recursive: true });
    await mkdir(path.join(root, '.git'));
    await writeFile(path.join(root, 'b', 'c', 'z.json'), json('X-3'));
    await writeFile(path.join(root, 'b', 'a.yml'), `id: X-2\nmodified: ${modified}`);
    await writeFile(path.join(root, 'a.JSON'), json('X-1'));
    await writeFile(path.join(root, 'README.md'), 'hello');
    await writeFile(path.join(root, '.git', 'x.json'), json('X-9'));
    await writeFile(path.join(folder, 'outside.json'), json('X-9'));
    await symlink(path.join(folder, 'outside.json'), path.join(root, 'link.json'));
    await symlink(root, path.join(root, 'loop'));
    execFileSync('mkfifo', [path.join(root, 'pipe.json')]);
    expect(await outline({ path: root })).toEqual(['a.JSON = X-1', 'b/a.yml = X-2', 'b/c/z.json = X-3']);
    expect(await outline({ path: path.join(root, 'loop') })).toHaveLength(3);
    expect(await outline({ path: path.join(root, 'pipe.json') })).toEqual([
      'pipe.json ! this is neither a file nor a folder',
    ]);
    expect(await outline({ path: root }, { ...sourceLimits, entriesMax: 2 })).toEqual([
      'a.JSON = X-1',
      'b/a.yml ! the folder has more than 2 files',
    ]);
    expect(await outline({ path: root }, { ...sourceLimits, folderDepthMax: 2 })).toEqual([
      'a.JSON = X-1',
      'b/a.yml = X-2',
      'b/c ! the folder lies too deep and was not read',
    ]);
  });

  test('a path that does not exist is a problem that says so', async () => {
    expect(await outline({ path: path.join(folder, 'missing') })).toEqual(['missing ! this cannot be read (ENOENT)']);
  });
});

describe('a file without a telling name is recognised by its beginning', () => {
  test.each([
    ['json', ` \n${json('X-1')}`],
    ['list', `\ufeff[${json('X-1')}]`],
    ['lines', `${json('X-1')}\n`],
    ['yaml', `# comment\nid: X-1\nmodified: ${modified}`],
    ['zip', zipOf([{ name: 'a.json', content: json('X-1') }])],
  ])('%s', async (name, content) => {
    expect(await outlineFile(`unnamed-${name}`, content)).toEqual([expect.stringMatching(/ = X-1$/)]);
  });

  test('or refused', async () => {
    expect(await outlineFile('unnamed', '\u007fELF')).toEqual(['unnamed ! this is neither JSON nor YAML nor a zip']);
  });
});

describe('stream', () => {
  test.each([
    ['application/json; charset=utf-8', `[${json('X-1')}]`, 'feed[0] = X-1'],
    ['Application/X-NDJSON', json('X-1'), 'feed:1 = X-1'],
    ['application/yaml', `id: X-1\nmodified: ${modified}`, 'feed = X-1'],
  ])('%s', async (mediaType, content, line) => {
    expect(await outline({ stream: Readable.from([Buffer.from(content)]), mediaType, name: 'feed' })).toEqual([line]);
  });

  test('an unknown media type is refused', async () => {
    await expect(outline({ stream: Readable.from([]), mediaType: 'text/html' })).rejects.toMatchObject({
      code: 'unsupported_media_type',
    });
  });

  test('what the stream itself fails with reaches the caller, after the records before it', async () => {
    const failure = new Error('connection lost');
    const stream = Readable.from(
      (async function* () {
        yield Buffer.from(`${json('X-1')}\n`);
        throw failure;
      })(),
    );
    const records = readAdvisories({ stream, mediaType: 'application/x-ndjson' });
    expect(await records.next()).toMatchObject({ value: { record: { id: 'X-1' } } });
    await expect(records.next()).rejects.toBe(failure);
  });
});
