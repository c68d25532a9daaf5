import { constants } from 'node:fs';
import { type FileHandle, open, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { AppError } from '../platform/app-error.ts';
import { folderFiles } from './advisory-source/folder-files.ts';
import { jsonLinesValues } from './advisory-source/json-lines-values.ts';
import { jsonValues } from './advisory-source/json-values.ts';
import { type Bytes, type SourceLimits, type SourceValue, sourceLimits } from './advisory-source/source-value.ts';
import { systemErrorCode } from './advisory-source/system-error.ts';
import { yamlValues } from './advisory-source/yaml-values.ts';
import { zipEntries } from './advisory-source/zip-entries.ts';
import { type Advisory, parseOsvRecord } from './osv-record.ts';
import { InvalidRecordError } from './osv-schema.ts';

/** A file, folder or zip on disk, or a stream of JSON, JSON lines or YAML (a zip is spooled to a file first). */
export type AdvisoryInput = { path: string } | { stream: Readable; mediaType: string; name?: string };

/** An advisory, or why there is none; `name` says where in the source: `all.zip/a.json`, `feed.jsonl:12`, `list.json[3]`. */
export type SourceRecord = { name: string; record: Advisory } | { name: string; problem: string };

/**
 * Reads every advisory of a source. Whatever is wrong with a record or a container is yielded as a problem after all
 * records before it. Throws AppError `unsupported_media_type`, and what a stream itself fails with.
 */
export async function* readAdvisories(
  input: AdvisoryInput,
  limits: SourceLimits = sourceLimits,
): AsyncGenerator<SourceRecord> {
  const values = 'path' in input ? pathValues(input.path, limits) : streamValues(input, limits);
  for await (const value of values) yield toRecord(value);
}

function toRecord(source: SourceValue): SourceRecord {
  const name = printable(source.name);
  if ('problem' in source) return { name, problem: printable(source.problem) };
  try {
    return { name, record: parseOsvRecord(source.value) };
  } catch (error) {
    if (!(error instanceof InvalidRecordError)) throw error;
    return { name, problem: printable(error.detail) };
  }
}

type TextFormat = 'json' | 'json lines' | 'yaml';
type Format = TextFormat | 'zip';

const formatsByExtension: Readonly<Partial<Record<string, Format>>> = {
  '.json': 'json',
  '.jsonl': 'json lines',
  '.ndjson': 'json lines',
  '.yaml': 'yaml',
  '.yml': 'yaml',
  '.zip': 'zip',
};

const formatsByMediaType: Readonly<Partial<Record<string, TextFormat>>> = {
  'application/json': 'json',
  'application/x-ndjson': 'json lines',
  'application/yaml': 'yaml',
};

function streamValues(
  { stream, mediaType, name = 'input' }: Extract<AdvisoryInput, { stream: Readable }>,
  limits: SourceLimits,
) {
  const format = formatsByMediaType[mediaType.split(';', 1)[0]?.trim().toLowerCase() ?? ''];
  if (format !== undefined) return textValues(format, stream, name, limits);
  const known = Object.keys(formatsByMediaType).join(', ');
  throw new AppError('unsupported_media_type', `Advisories are read as ${known}.`);
}

async function* pathValues(sourcePath: string, limits: SourceLimits): AsyncGenerator<SourceValue> {
  const name = path.basename(path.resolve(sourcePath));
  try {
    // A link is followed only here, where the user has named it.
    const realPath = await realpath(sourcePath);
    const isFolder = (await stat(realPath)).isDirectory();
    yield* isFolder ? folderValues(realPath, limits) : fileValues(realPath, name, limits);
  } catch (error) {
    yield { name, problem: `this cannot be read (${systemErrorCode(error)})` };
  }
}

async function* folderValues(folder: string, limits: SourceLimits): AsyncGenerator<SourceValue> {
  for await (const file of folderFiles(folder, (name) => formatOf(name) !== null, limits)) {
    if ('problem' in file) yield file;
    else yield* fileValues(file.path, file.name, limits);
  }
}

async function* fileValues(filePath: string, name: string, limits: SourceLimits): AsyncGenerator<SourceValue> {
  try {
    // Not to be fooled by a link or pipe that takes the file's place meanwhile.
    await using file = await open(filePath, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const stats = await file.stat();
    if (!stats.isFile()) return yield { name, problem: 'this is neither a file nor a folder' };
    const format = formatOf(name) ?? (await sniffFormat(file));
    if (format === null) yield { name, problem: 'this is neither JSON nor YAML nor a zip' };
    else if (format === 'zip') yield* zipValues(file, name, limits);
    else yield* textValues(format, await readBytes(file, stats.size), name, limits);
  } catch (error) {
    yield { name, problem: `the file cannot be read (${systemErrorCode(error)})` };
  }
}

const chunkBytes = 1024 ** 2;

/** A small file whole, which is most of what folders hold and several times as quick; a large one in chunks. */
async function readBytes(file: FileHandle, size: number): Promise<Bytes> {
  if (size <= chunkBytes) return [await file.readFile()];
  return file.createReadStream({ start: 0, autoClose: false, highWaterMark: chunkBytes });
}

async function* zipValues(file: FileHandle, zipName: string, limits: SourceLimits): AsyncGenerator<SourceValue> {
  for await (const entry of zipEntries(file, (name) => textFormatOf(name) !== null, limits)) {
    const name = entry.name === '' ? zipName : `${zipName}/${entry.name}`;
    const format = textFormatOf(entry.name);
    if ('problem' in entry) yield { name, problem: entry.problem };
    else if (format !== null) yield* textValues(format, [entry.bytes], name, limits);
  }
}

function textValues(format: TextFormat, bytes: Bytes, name: string, limits: SourceLimits): AsyncGenerator<SourceValue> {
  switch (format) {
    case 'json':
      return jsonValues(bytes, name, limits);
    case 'json lines':
      return jsonLinesValues(bytes, name, limits);
    case 'yaml':
      return yamlValues(bytes, name, limits);
  }
}

function formatOf(name: string): Format | null {
  return formatsByExtension[path.posix.extname(name).toLowerCase()] ?? null;
}

/** Format of a zip's entry; a zip inside a zip is not opened, and what lies below a name with a leading dot is tooling. */
function textFormatOf(entryName: string): TextFormat | null {
  const format = /(?:^|\/)\.[^./]/.test(entryName) ? null : formatOf(entryName);
  return format === 'zip' ? null : format;
}

async function sniffFormat(file: FileHandle): Promise<Format | null> {
  const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(1024), position: 0 });
  const beginning = buffer.toString('utf8', 0, bytesRead).replace(/^\ufeff?\s*/, '');
  if (beginning.startsWith('PK\u0003\u0004')) return 'zip';
  if (/^[{[]/.test(beginning)) return 'json';
  return /^(?:---\s|[#%]|[a-z_]+:\s)/.test(beginning) ? 'yaml' : null;
}

/** Names and excerpts come from hostile archives and end in logs and terminals; of a long one the end tells most. */
function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: naming them is the purpose
  const plain = text.replace(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g, '?');
  return plain.length > 300 ? `…${plain.slice(-300)}` : plain;
}
