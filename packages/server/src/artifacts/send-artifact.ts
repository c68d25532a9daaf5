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
  /** Called at most once; the end of the stream closes the artifact. */
  read(range: BlobRange | null): Promise<Readable>;
  /** For when it is not read. */
  close(): Promise<void>;
}

const immutable = 'private, max-age=31536000, immutable';

/** Answers GET and HEAD for an artifact, conditional and ranged. @returns whether the body starts with the first byte */
export async function sendArtifact(
  request: FastifyRequest,
  reply: FastifyReply,
  artifact: ServableArtifact,
): Promise<{ isPull: boolean }> {
  const { headers } = request;
  reply.headers({ etag: artifact.etag, 'cache-control': immutable, vary: 'Authorization' });
  if (isNoneMatch(headers['if-none-match'], artifact.etag)) {
    reply.code(304).send();
    return { isPull: false };
  }
  const open = await artifact.open();
  const isRangeMeant = request.method === 'GET' && (headers['if-range'] ?? artifact.etag) === artifact.etag;
  const range = isRangeMeant ? parseByteRange(headers.range, open.sizeBytes) : null;
  if (range === 'unsatisfiable') {
    await open.close();
    reply.code(416).header('content-range', `bytes */${open.sizeBytes}`).send();
    return { isPull: false };
  }
  setBodyHeaders(reply, { fileName: artifact.fileName, sizeBytes: open.sizeBytes, range });
  if (request.method === 'HEAD') {
    await open.close();
    reply.send();
    return { isPull: false };
  }
  reply.send(await open.read(range));
  return { isPull: range === null || range.start === 0 };
}

interface Body {
  fileName: string;
  sizeBytes: number;
  range: BlobRange | null;
}

function setBodyHeaders(reply: FastifyReply, { fileName, sizeBytes, range }: Body): void {
  reply.headers({
    'accept-ranges': 'bytes',
    'content-type': 'application/octet-stream',
    'content-disposition': `attachment; filename="${fileName}"`,
    'content-length': range ? range.end - range.start + 1 : sizeBytes,
  });
  if (range) reply.code(206).header('content-range', `bytes ${range.start}-${range.end}/${sizeBytes}`);
}
