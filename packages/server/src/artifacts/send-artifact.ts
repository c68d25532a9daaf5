import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { BlobRange } from '../platform/blobs/blob-store.ts';
import { parseByteRange } from './byte-range.ts';
import { isNoneMatch } from './etag.ts';

/** An artifact whose bytes never change. */
export interface ServableArtifact {
  /** Made of characters that need no quoting in a header. */
  fileName: string;
  /** With its quotes. */
  etag: string;
  open(): Promise<OpenArtifact>;
}

export interface OpenArtifact {
  sizeBytes: number;
  /** Called at most once; the end of the stream, or the buffer, closes the artifact. */
  read(range: BlobRange | null): Promise<Readable | Buffer>;
  /** For when it is not read. */
  close(): Promise<void>;
}

/** What is not larger is read in one go. */
export const wholeReadBytesMax = 256 * 1024;

/** Answers GET and HEAD for an artifact, conditional and ranged. @returns whether the body starts with the first byte */
export async function sendArtifact(
  request: FastifyRequest,
  reply: FastifyReply,
  { etag, fileName, open }: ServableArtifact,
): Promise<{ isPull: boolean }> {
  const { headers, method } = request;
  const cacheable = { etag, 'cache-control': 'private, max-age=31536000, immutable', vary: 'Authorization' };
  if (isNoneMatch(headers['if-none-match'], etag)) {
    reply.code(304).headers(cacheable).send();
    return { isPull: false };
  }
  const artifact = await open();
  const isRangeMeant = method === 'GET' && (headers['if-range'] ?? etag) === etag;
  const range = isRangeMeant ? parseByteRange(headers.range, artifact.sizeBytes) : null;
  if (range === 'unsatisfiable' || method === 'HEAD') await artifact.close();
  if (range === 'unsatisfiable') {
    reply.code(416).header('content-range', `bytes */${artifact.sizeBytes}`).send();
    return { isPull: false };
  }
  // Read before any header is set: a failure must not be answered with what describes the artifact.
  const body = method === 'HEAD' ? undefined : await artifact.read(range);
  reply.headers({ ...cacheable, ...bodyHeaders({ fileName, sizeBytes: artifact.sizeBytes, range }) });
  reply.code(range ? 206 : 200).send(body);
  return { isPull: method === 'GET' && (range === null || range.start === 0) };
}

interface Body {
  fileName: string;
  sizeBytes: number;
  range: BlobRange | null;
}

function bodyHeaders({ fileName, sizeBytes, range }: Body): Record<string, string | number> {
  return {
    'accept-ranges': 'bytes',
    'content-type': 'application/octet-stream',
    'content-disposition': `attachment; filename="${fileName}"`,
    'content-length': range ? range.end - range.start + 1 : sizeBytes,
    ...(range && { 'content-range': `bytes ${range.start}-${range.end}/${sizeBytes}` }),
  };
}
