import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { Header, Parser, Pax, type ReadEntry } from 'tar';
import { ArchiveRefusedError } from './archive-refused-error.ts';

/** One regular file of a package; the archive's leading folder is not part of the path. */
export interface PackedFile {
  path: string;
  bytes: Buffer;
  isExecutable: boolean;
}

export interface ArchiveLimits {
  unpackedBytesMax: number;
  entriesMax: number;
}

export const defaultArchiveLimits: ArchiveLimits = { unpackedBytesMax: 512 * 1024 * 1024, entriesMax: 100_000 };

/**
 * Unpacks a gzipped tarball in memory. Its one leading folder, usually `package`, is taken off; of two files of one name the
 * later counts, as in npm. Throws `ArchiveRefusedError` for a damaged archive, one over the limits, and any entry that is
 * not a plain file or folder inside the leading folder.
 */
export async function readTarball(
  bytes: Uint8Array,
  limits: ArchiveLimits = defaultArchiveLimits,
): Promise<PackedFile[]> {
  const tar = await decompress(bytes, limits);
  const entries = await readEntries(tar, limits);
  const leadingFolder = entries[0]?.path.split('/')[0] ?? '';
  const files = new Map<string, PackedFile>();
  for (const { path, pieces, isExecutable } of entries) {
    const [folder, ...inside] = path.split('/');
    if (folder !== leadingFolder || inside.length === 0) {
      throw new ArchiveRefusedError(`the entry ${JSON.stringify(path)} is outside of the archive's leading folder`);
    }
    const packed = {
      path: inside.join('/'),
      bytes: pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces),
      isExecutable,
    };
    files.set(packed.path, packed);
  }
  return [...files.values()];
}

/** The same files, in whatever order, give the same bytes on every machine that has this Node version. */
export async function writeTarball(files: readonly PackedFile[]): Promise<Buffer> {
  const sorted = [...files].sort((one, other) => Buffer.compare(Buffer.from(one.path), Buffer.from(other.path)));
  const tar = Buffer.concat([...sorted.flatMap(blocksOf), Buffer.alloc(2 * blockBytes)]);
  const packed = await promisify(gzip)(tar, { level: 9, memLevel: 9 });
  // RFC 1952, section 2.3.1: 255 is "unknown"; zlib would write the system that it runs on.
  packed[gzipSystemByte] = 255;
  return packed;
}

const blockBytes = 512;
const gzipSystemByte = 9;
const gzipMagic = Buffer.from([0x1f, 0x8b]);
/** What npm itself writes. */
const packedOn = new Date('1985-10-26T08:15:00Z');

async function decompress(bytes: Uint8Array, { unpackedBytesMax }: ArchiveLimits): Promise<Buffer> {
  try {
    // Stops as soon as the limit is passed, so that a bomb costs no more memory than the limit.
    return await promisify(gunzip)(bytes, { maxOutputLength: unpackedBytesMax });
  } catch (error) {
    const isTooLarge = error instanceof RangeError && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
    throw new ArchiveRefusedError(
      isTooLarge ? `it unpacks to more than ${unpackedBytesMax} bytes` : 'it is not a gzip file',
      error,
    );
  }
}

interface RawFile {
  path: string;
  pieces: Buffer[];
  isExecutable: boolean;
}

async function readEntries(tar: Buffer, { entriesMax }: ArchiveLimits): Promise<RawFile[]> {
  // The parser would unpack a second layer of compression by itself, without a limit.
  if (tar.subarray(0, gzipMagic.length).equals(gzipMagic)) throw new ArchiveRefusedError('it is compressed twice');
  const files: RawFile[] = [];
  let problem: string | null = null;
  let entryCount = 0;
  const refuse = (text: string) => {
    problem ??= text;
  };
  const take = (entry: ReadEntry) => {
    entryCount += 1;
    const entryProblem = entryCount > entriesMax ? `it has more than ${entriesMax} entries` : problemOf(entry);
    if (entryProblem !== null) refuse(entryProblem);
    if (problem === null && plainFileTypes.has(entry.type)) {
      const file: RawFile = {
        path: plainPath(entry.path),
        pieces: [],
        isExecutable: ((entry.mode ?? 0) & 0o111) !== 0,
      };
      entry.on('data', (piece: Buffer) => file.pieces.push(piece));
      files.push(file);
    } else entry.resume();
  };
  await new Promise<void>((resolve) => {
    const parser = new Parser({ zstd: false, brotli: false, onReadEntry: take });
    parser.on('warn', (code: string, message: string | Error) => {
      if (code !== 'TAR_ENTRY_INFO') refuse(`it is damaged (${message instanceof Error ? message.message : message})`);
    });
    parser.on('ignoredEntry', (entry: ReadEntry) =>
      refuse(`the entry ${JSON.stringify(entry.path)} is of an unknown kind`),
    );
    parser.on('end', resolve);
    parser.end(tar);
  });
  if (problem !== null) throw new ArchiveRefusedError(problem);
  return files;
}

const plainFileTypes = new Set<string>(['File', 'OldFile', 'ContiguousFile']);
const folderTypes = new Set<string>(['Directory', 'GNUDumpDir']);

function problemOf({ path, type }: ReadEntry): string | null {
  const named = `the entry ${JSON.stringify(path)}`;
  if (!plainFileTypes.has(type) && !folderTypes.has(type)) return `${named} is not a plain file but a ${type}`;
  if (path.startsWith('/') || /^[A-Za-z]:/.test(path)) return `${named} has an absolute path`;
  if (path.split(/[/\\]/).includes('..')) return `${named} leads out of the package`;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused.
  return /[\\\u0000-\u001f\u007f]/.test(path) ? `${named} has a backslash or a control character in its name` : null;
}

function plainPath(path: string): string {
  return path
    .split('/')
    .filter((segment) => segment !== '' && segment !== '.')
    .join('/');
}

function blocksOf({ path, bytes, isExecutable }: PackedFile): Buffer[] {
  const fullPath = `package/${path}`;
  const header = new Header({
    path: fullPath,
    mode: isExecutable ? 0o755 : 0o644,
    uid: 0,
    gid: 0,
    size: bytes.length,
    mtime: packedOn,
    type: 'File',
    uname: '',
    gname: '',
  });
  const block = Buffer.alloc(blockBytes);
  const longName = header.encode(block) ? [new Pax({ path: fullPath, mtime: packedOn }).encode()] : [];
  const padding = Buffer.alloc((blockBytes - (bytes.length % blockBytes)) % blockBytes);
  return [...longName, block, bytes, padding];
}
