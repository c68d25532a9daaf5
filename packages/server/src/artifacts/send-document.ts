import type { FastifyReply, FastifyRequest } from 'fastify';
import { isNoneMatch } from './etag.ts';
import type { RenderedDocument } from './rendered-document.ts';

/** Answers GET and HEAD for a document that may change at any time: clients keep it, and ask every time. */
export function sendDocument(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  { document, mediaType }: { document: RenderedDocument; mediaType: string },
): void {
  reply.headers({
    etag: document.etag,
    'cache-control': 'private, no-cache',
    vary: 'Accept, Accept-Encoding, Authorization',
  });
  if (isNoneMatch(headers['if-none-match'], document.etag)) {
    reply.code(304).send();
    return;
  }
  reply.type(mediaType);
  if (!acceptsGzip(headers['accept-encoding'])) {
    reply.send(document.bytes);
    return;
  }
  reply.header('content-encoding', 'gzip').send(document.gzipped);
}

function acceptsGzip(header: string | string[] | undefined): boolean {
  const named = String(header ?? '')
    .toLowerCase()
    .split(',')
    .find((coding) => /^\s*gzip\s*(;|$)/.test(coding));
  return named !== undefined && !/;\s*q=0(\.0*)?\s*$/.test(named);
}
