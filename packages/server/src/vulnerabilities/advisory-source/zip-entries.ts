import type { FileHandle } from 'node:fs/promises';
import { promisify } from 'node:util';
import { crc32, inflateRaw } from 'node:zlib';
import { type Entry, fromFdPromise, getFileNameLowLevel, type ZipFile } from 'yauzl';
import type { SourceLimits } from './source-value.ts';

export type ZipEntry = { name: string; bytes: Uint8Array } | { name: string; problem: string };

/**
 * Yields the wanted files of a zip, one in memory at a time. Names serve as labels only: nothing is ever written under
 * them. What cannot be unpacked, or is not what its checksum promises, becomes a problem; the file stays open.
 */
export async function* zipEntries(
  file: FileHandle,
  isWanted: (name: string) => boolean,
  limits: SourceLimits,
): AsyncGenerator<ZipEntry> {
  const zip = await openZip(file.fd);
  if (zip === null) return yield { name: '', problem: 'the zip is broken or cut off: it has no table of contents' };
  if (zip.entryCount > limits.entriesMax)
    return yield { name: '', problem: `the zip has more than ${limits.entriesMax} entries` };
  let unpackedBytes = 0;
  const entries = zip.eachEntry();
  for (let entry = await nextEntry(entries); entry !== null; entry = await nextEntry(entries)) {
    if (entry === 'broken') return yield { name: '', problem: `the zip is broken after ${zip.entriesRead} entries` };
    const name = nameOf(entry);
    if (!isWanted(name)) continue;
    const problem = refusalOf(entry, limits);
    unpackedBytes += problem === null ? entry.uncompressedSize : 0;
    if (unpackedBytes > limits.unpackedBytesMax) {
      return yield {
        name,
        problem: `the zip unpacks to more than ${limits.unpackedBytesMax} bytes; the rest was not read`,
      };
    }
    yield problem === null ? await unpack(zip, file, entry, name) : { name, problem };
  }
}

/** yauzl reports whatever is wrong with a zip as a plain Error, hence the catches without a name in this file. */
async function openZip(descriptor: number): Promise<ZipFile | null> {
  try {
    // Names are decoded here, because yauzl would refuse a whole zip for one odd name.
    return await fromFdPromise(descriptor, { autoClose: false, decodeStrings: false });
  } catch {
    return null;
  }
}

async function nextEntry(entries: AsyncIterator<Entry>): Promise<Entry | 'broken' | null> {
  try {
    const { done, value } = await entries.next();
    return done ? null : value;
  } catch {
    return 'broken';
  }
}

function nameOf(entry: Entry): string {
  return getFileNameLowLevel(entry.generalPurposeBitFlag, entry.fileNameRaw, entry.extraFields, false);
}

function refusalOf(entry: Entry, limits: SourceLimits): string | null {
  if (entry.isEncrypted()) return 'the entry is encrypted';
  if (!entry.canDecodeFileData())
    return `the entry is packed with method ${entry.compressionMethod}, which is not supported`;
  if (Math.max(entry.compressedSize, entry.uncompressedSize) > limits.recordBytesMax)
    return `the entry unpacks to more than ${limits.recordBytesMax} bytes`;
  return null;
}

/** Reads an entry in one go: streams would cost several times the work on archives of many small records. */
async function unpack(zip: ZipFile, file: FileHandle, entry: Entry, name: string): Promise<ZipEntry> {
  try {
    const { fileDataStart } = await zip.readLocalFileHeaderPromise(entry, { minimal: true });
    const packed = await readExactly(file, fileDataStart, entry.compressedSize);
    const bytes =
      entry.compressionMethod === 0 ? packed : await inflate(packed, { maxOutputLength: entry.uncompressedSize });
    const isWhole = bytes.length === entry.uncompressedSize && crc32(bytes) === entry.crc32;
    return isWhole ? { name, bytes } : { name, problem: 'the entry does not match its checksum' };
  } catch {
    return { name, problem: 'the entry cannot be unpacked' };
  }
}

const inflate = promisify(inflateRaw);

async function readExactly(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length);
  for (let filled = 0; filled < length; ) {
    const { bytesRead } = await file.read(buffer, filled, length - filled, position + filled);
    if (bytesRead === 0) throw new RangeError('the file ends inside the entry');
    filled += bytesRead;
  }
  return buffer;
}
