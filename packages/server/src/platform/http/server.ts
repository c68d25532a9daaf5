import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import Fastify, { type FastifyBaseLogger, type FastifyInstance, type FastifyReply, LogController } from 'fastify';
import { AppError } from '../app-error.ts';
import type { Logger } from '../logger.ts';
import { problemOf, statusOf, toAppError } from './errors.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Names the route in metrics and logs. */
    operation?: string;
    takesLongUploads?: boolean;
  }
}

const headerBytesMax = 16 * 1024;
const requestTimeoutMs = 30_000;
/** For endpoints that say that they take long uploads. */
const uploadTimeoutMs = 60 * 60_000;
const pathParameterMax = 2_048;
const keepAliveTimeoutMs = 72_000;

/** An HTTP server with the limits, the request id and the error form of the whole service; routes are added by roles. */
export function createHttpServer({ logger }: { logger: Logger }): FastifyInstance {
  const app = Fastify({
    loggerInstance: logger as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
    requestTimeout: uploadTimeoutMs,
    keepAliveTimeout: keepAliveTimeoutMs,
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength: pathParameterMax },
    http: { maxHeaderSize: headerBytesMax, headersTimeout: requestTimeoutMs },
    clientErrorHandler: answerUnreadable,
    frameworkErrors: (error, request, reply) => {
      const known = toAppError(error);
      const answer: FastifyReply = reply;
      answer
        .code(statusOf(known))
        .header('x-request-id', request.id)
        .type('application/problem+json')
        .send(JSON.stringify(problemOf(known, request.id)));
    },
  });
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    // Whatever becomes of the request: also a refused one holds its connection until its body has arrived.
    if (!request.routeOptions.config.takesLongUploads) limitBodyTime(request.raw);
    done();
  });
  app.setErrorHandler((thrown, request, reply) => {
    const error = toAppError(thrown);
    const status = statusOf(error);
    if (status >= 500) request.log.error({ err: error.cause ?? error, code: error.code }, 'request failed');
    reply.code(status).headers(error.headers).type('application/problem+json');
    reply.send(JSON.stringify(problemOf(error, request.id)));
  });
  app.setNotFoundHandler(() => {
    throw new AppError('not_found', 'There is nothing at this path.');
  });
  return app;
}

/** Cuts the connection of a client that takes too long over its body. */
function limitBodyTime(request: IncomingMessage): void {
  const hasBody = request.headers['content-length'] !== undefined || request.headers['transfer-encoding'] !== undefined;
  if (!hasBody || request.complete) return;
  const timer = setTimeout(() => request.destroy(), requestTimeoutMs);
  request.once('close', () => clearTimeout(timer)).once('end', () => clearTimeout(timer));
}

/** Statuses that Node's parser has for requests of which it makes no request; any other is malformed. */
const unreadable: Record<string, { status: number; reason: string; detail: string }> = {
  HPE_HEADER_OVERFLOW: {
    status: 431,
    reason: 'Request Header Fields Too Large',
    detail: `The headers have more than ${headerBytesMax} bytes.`,
  },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, reason: 'Request Timeout', detail: 'The request took too long to arrive.' },
};

/** There is no request and no reply to use yet: the answer is written to the connection, which ends with it. */
function answerUnreadable(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const otherwise = { status: 400, reason: 'Bad Request', detail: 'This is not an HTTP request that can be read.' };
  const { status, reason, detail } = unreadable[error.code ?? ''] ?? otherwise;
  const problem = problemOf(new AppError('malformed_request', detail), randomUUID());
  const body = JSON.stringify({ ...problem, status });
  const head = `HTTP/1.1 ${status} ${reason}\r\ncontent-type: application/problem+json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n`;
  socket.end(head + body);
}
