import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync, gzipSync } from 'node:zlib';
import { Header, type HeaderData } from 'tar';
import { expect, test } from 'vitest';
import { type PackedFile, readTarball, writeTarball } from './archive.ts';
import { ArchiveRefusedError } from './archive-refused-error.ts';

const file = (filePath: string, text = 'text', isExecutable = false): PackedFile => ({
  path: filePath,
  bytes: Buffer.from(text),
  isExecutable,
});

interface RawEntry extends HeaderData {
  body?: string;
}

/** A tarball of our own making, with what no honest tool writes. */
function tarballOf(...entries: RawEntry[]): Buffer {
  const blocks = entries.flatMap(({ body = '', ...header }) => {
    const block = Buffer.alloc(512);
    new Header({ type: 'File', mode: 0o644, size: body.length, ...header }).encode(block);
    return [block, Buffer.from(body), Buffer.alloc((512 - (body.length % 512)) % 512)];
  });
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(1024)]));
}

async function refusalOf(bytes: Uint8Array, limits?: Parameters<typeof readTarball>[1]): Promise<string> {
  try {
    await readTarball(bytes, limits);
    return 'it was read';
  } catch (error) {
    if (error instanceof ArchiveRefusedError) return error.message;
    throw error;
  }
}

const long = (length: number) => `${'long-folder-name/'.repeat(Math.ceil(length / 17))}end.js`;
const names = [
  'package.json',
  'bin/run.js',
  'lib/ünïcode-日本.js',
  long(120),
  long(300),
  `${'f'.repeat(140)}.js`,
  'lib/.hidden',
  'empty',
];

test('what is packed is unpacked: paths of any length and script, bytes, and which files are executable', async () => {
  const files = names.map((name) => file(name, name === 'empty' ? '' : `content of ${name}`, name.startsWith('bin/')));
  const unpacked = await readTarball(await writeTarball(files));
  const byPath = (one: PackedFile, other: PackedFile) => (one.path < other.path ? -1 : 1);
  expect(unpacked.sort(byPath)).toEqual(files.sort(byPath));
});

test('the system’s own tar unpacks it under package/', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'sealsmith-archive-'));
  try {
    const archive = path.join(folder, 'a.tgz');
    await writeFile(archive, await writeTarball(names.map((name) => file(name, name, name.startsWith('bin/')))));
    await promisify(execFile)('tar', ['-xzf', archive, '-C', folder]);
    for (const name of names) expect(await readFile(path.join(folder, 'package', name), 'utf8')).toBe(name);
    expect((await stat(path.join(folder, 'package/bin/run.js'))).mode & 0o777).toBe(0o755);
    expect((await stat(path.join(folder, 'package/package.json'))).mode & 0o111).toBe(0);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('the same files give the same bytes, in whatever order they come', async () => {
  const files = names.map((name) => file(name, name));
  const packed = await writeTarball(files);
  expect(await writeTarball([...files].reverse())).toEqual(packed);
  expect(packed.subarray(4, 10)).toEqual(Buffer.from([0, 0, 0, 0, 2, 255]));
  const header = new Header(gunzipSync(packed), 0);
  expect(header).toMatchObject({
    uid: 0,
    gid: 0,
    mode: 0o644,
    mtime: new Date('1985-10-26T08:15:00Z'),
    uname: '',
    gname: '',
  });
});

test('any one leading folder is taken off; the later of two files of one name counts', async () => {
  const unpacked = await readTarball(
    tarballOf(
      { path: 'node/', type: 'Directory' },
      { path: 'node/a.js', body: 'first' },
      { path: './node/lib//b.js', body: 'b', mode: 0o755 },
      { path: 'node/a.js', body: 'second' },
    ),
  );
  expect(unpacked).toEqual([file('a.js', 'second'), file('lib/b.js', 'b', true)]);
});

test.each([
  ['a parent folder', { path: 'package/../../x.js' }, 'leads out'],
  ['a parent folder behind backslashes', { path: 'package\\..\\..\\x.js' }, 'leads out'],
  ['an absolute path', { path: '/package/x.js' }, 'absolute'],
  ['a drive', { path: 'C:/package/x.js' }, 'absolute'],
  ['a control character', { path: 'package/x\n.js' }, 'control character'],
  ['a symbolic link', { path: 'package/x.js', type: 'SymbolicLink', linkpath: '/etc/passwd' }, 'SymbolicLink'],
  ['a hard link', { path: 'package/x.js', type: 'Link', linkpath: 'package/a.js' }, 'Link'],
  ['a character device', { path: 'package/x.js', type: 'CharacterDevice' }, 'CharacterDevice'],
  ['a block device', { path: 'package/x.js', type: 'BlockDevice' }, 'BlockDevice'],
  ['a pipe', { path: 'package/x.js', type: 'FIFO' }, 'FIFO'],
  ['a file beside the leading folder', { path: 'x.js' }, 'outside'],
  ['a second leading folder', { path: 'other/x.js' }, 'outside'],
] satisfies [string, RawEntry, string][])('an archive with %s is refused', async (_name, entry, words) => {
  expect(await refusalOf(tarballOf({ path: 'package/a.js', body: 'a' }, entry))).toContain(words);
});

test('an archive is refused that is no gzip, cut off, damaged, compressed twice or empty of a tar', async () => {
  const packed = await writeTarball([file('a.js', 'x'.repeat(3000))]);
  const tar = gunzipSync(packed);
  expect(await refusalOf(Buffer.from('<html>'))).toContain('not a gzip');
  expect(await refusalOf(packed.subarray(0, packed.length - 20))).toContain('not a gzip');
  expect(await refusalOf(gzipSync(tar.subarray(0, 2000)))).toContain('damaged');
  expect(await refusalOf(gzipSync(Buffer.concat([Buffer.from('y'), tar.subarray(1)])))).toContain('damaged');
  expect(await refusalOf(gzipSync(packed))).toContain('compressed twice');
  expect(await refusalOf(gzipSync('not a tar'))).toContain('damaged');
});

test('an archive over the limits is refused', async () => {
  const bomb = gzipSync(Buffer.alloc(5_000_000));
  expect(await refusalOf(bomb, { unpackedBytesMax: 1_000_000, entriesMax: 10 })).toContain('more than 1000000 bytes');
  const many = tarballOf(...Array.from({ length: 11 }, (_, index) => ({ path: `package/${index}` })));
  expect(await refusalOf(many, { unpackedBytesMax: 1_000_000, entriesMax: 10 })).toContain('more than 10 entries');
  expect(await readTarball(many, { unpackedBytesMax: 1_000_000, entriesMax: 11 })).toHaveLength(11);
});
