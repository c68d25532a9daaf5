import type { FastifyReply, FastifyRequest } from 'fastify';
import { statusOf, toAppError } from '../../platform/http/errors.ts';

/** Answers whatever was thrown in the form that npm shows to its user: `{"error": "…"}`. */
export function renderNpmError(thrown: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const error = toAppError(thrown);
  const status = statusOf(error);
  if (status >= 500) request.log.error({ err: error.cause ?? error, code: error.code }, 'artifact request failed');
  reply
    .code(status)
    .headers({ ...error.headers, 'cache-control': 'no-store' })
    .type('application/json');
  reply.send(JSON.stringify({ error: error.detail }));
}
