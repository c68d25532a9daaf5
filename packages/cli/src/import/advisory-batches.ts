import { constants } from 'node:fs';
import { open, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { CliError } from '../cli-error.ts';
import { readPlainFile, systemErrorCode } from '../plain-file.ts';
import type { Batch } from './batch.ts';
import { type FolderFile, folderFiles } from './folder-files.ts';

const mediaTypes: Readonly<Partial<Record<string, string>>> = {
  '.json': 'application/json',
  '.jsonl': 'application/x-ndjson',
  '.ndjson': 'application/x-ndjson',
  '.yaml': 'application/yaml',
  '.yml': 'application/yaml',
  '.zip': 'application/zip',
};

const linesMax = 2000;
const linesBytesMax = 8 * 1024 * 1024;

/**
 * Cuts a source of OSV records into requests: a file is one, as it is; of a folder the files of one record each travel
 * together, a line each, and every other file alone. @throws CliError `usage` for a source that cannot be imported
 */
export async function advisoryBatches(
  source: string,
  shownSource: string,
): Promise<{ isFolder: boolean; batches: AsyncIterable<Batch> }> {
  // A link is followed only here, where the user has named it.
  const place = await realpath(source).catch((error: unknown) => {
    throw new CliError('usage', `${shownSource} cannot be read (${systemErrorCode(error)}).`);
  });
  const stats = await stat(place);
  if (stats.isDirectory()) return { isFolder: true, batches: folderBatches(place) };
  const mediaType = mediaTypeOf(source);
  if (!stats.isFile() || mediaType === null) {
    throw new CliError(
      'usage',
      `${shownSource} is neither a folder nor a file named ${Object.keys(mediaTypes).join(', ')}.`,
    );
  }
  return { isFolder: false, batches: asyncOf([fileBatch({ name: path.basename(source), path: place }, mediaType)]) };
}

interface Line {
  name: string;
  text: string;
}

async function* folderBatches(folder: string): AsyncGenerator<Batch> {
  let lines: Line[] = [];
  let bytes = 0;
  for await (const file of folderFiles(folder)) {
    if ('reason' in file) yield file;
    const mediaType = 'reason' in file ? null : mediaTypeOf(file.name);
    if ('reason' in file || mediaType === null) continue;
    const piece = mediaType === 'application/json' ? await readRecord(file) : fileBatch(file, mediaType);
    if (!('text' in piece)) {
      yield piece;
      continue;
    }
    const size = Buffer.byteLength(piece.text) + 1;
    if (lines.length >= linesMax || (lines.length > 0 && bytes + size > linesBytesMax)) {
      yield linesBatch(lines);
      lines = [];
      bytes = 0;
    }
    lines.push(piece);
    bytes += size;
  }
  if (lines.length > 0) yield linesBatch(lines);
}

/** A record on a line of its own; a list, or what is too large to be held here, goes as the file that it is. */
async function readRecord(file: FolderFile): Promise<Line | Batch> {
  const content = await readPlainFile(file.path, linesBytesMax);
  if ('failure' in content) {
    if (content.failure === 'too_large') return fileBatch(file, 'application/json');
    return {
      name: file.name,
      reason: content.failure === 'not_text' ? 'The file is not UTF-8 text.' : 'The file cannot be read.',
    };
  }
  // A line end stands in JSON only where any other white space may stand too.
  const text = content.text
    .replace(/^\uFEFF/, '')
    .replace(/[\r\n]+/g, ' ')
    .trim();
  if (text === '') return { name: file.name, reason: 'The file is empty.' };
  return text.startsWith('[') ? fileBatch(file, 'application/json') : { name: file.name, text };
}

function linesBatch(lines: readonly Line[]): Batch {
  const body = lines.map(({ text }) => `${text}\n`).join('');
  return {
    content: { mediaType: 'application/x-ndjson', open: async () => body },
    label: `${lines.length} files to ${lines.at(-1)?.name}`,
    placeOf: (name) => lines[Number(/:(\d+)$/.exec(name)?.[1]) - 1]?.name ?? name,
  };
}

function fileBatch({ name, path: file }: FolderFile, mediaType: string): Batch {
  return {
    content: { mediaType, open: () => openStream(file) },
    label: name,
    placeOf: (place) => place.replace(/^(?:input|upload\.zip)(?=[:[/]|$)/, name),
  };
}

/** The name may have become a link or a pipe since the folder was listed. */
async function openStream(file: string): Promise<Readable> {
  const handle = await open(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  return handle.createReadStream({ highWaterMark: 1024 * 1024 });
}

function mediaTypeOf(name: string): string | null {
  return mediaTypes[path.extname(name).toLowerCase()] ?? null;
}

async function* asyncOf<Value>(values: readonly Value[]): AsyncGenerator<Value> {
  yield* values;
}
