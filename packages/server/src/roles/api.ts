import rateLimit from '@fastify/rate-limit';
import { basePath, type Endpoint, errorsOf } from '@sealsmith/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Authenticator, bearerSecret, requireScope } from '../access/authenticate.ts';
import type { IdempotencyGuard } from '../access/idempotency.ts';
import { AppError } from '../platform/app-error.ts';
import { noQuery, parse, queryParser } from '../platform/http/input.ts';
import type { Route, RouteReply } from '../platform/http/route.ts';
import type { Logger } from '../platform/logger.ts';
import type { Caller } from '../platform/tenancy.ts';

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | null;
  }
}

interface ApiDeps {
  routes: readonly Route[];
  authenticator: Authenticator;
  idempotency: IdempotencyGuard;
  /** Requests a minute and token; null: unlimited. */
  rateLimitPerMinute: number | null;
  publicUrlOf(request: FastifyRequest): string;
}

const allMethods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

/** Serves the endpoint table below the base path: every request there carries a token, whatever it asks for. */
export async function registerApi(app: FastifyInstance, deps: ApiDeps): Promise<void> {
  await app.register(
    async (api) => {
      api.decorateRequest('caller', null);
      api.addHook('onRequest', async (request) => {
        request.caller = await deps.authenticator.authenticate(bearerSecret(request.headers.authorization));
      });
      // Fastify's own reader of plain text would let it pass as a JSON string.
      api.removeContentTypeParser('text/plain');
      if (deps.rateLimitPerMinute !== null) await api.register(rateLimit, rateLimitOptions(deps.rateLimitPerMinute));
      const streamed = deps.routes.filter(({ endpoint }) => endpoint.body && !endpoint.body.schema);
      for (const route of deps.routes) if (!streamed.includes(route)) registerRoute(api, route, deps);
      await api.register(async (scope) => {
        scope.removeAllContentTypeParsers();
        for (const route of streamed) {
          registerStreamedBody(scope, route.endpoint);
          registerRoute(scope, route, deps);
        }
      });
      registerOtherMethods(api, deps.routes);
      api.setNotFoundHandler({ preHandler: limitNothing }, () => {
        throw new AppError('not_found', 'There is no such endpoint.');
      });
    },
    { prefix: basePath },
  );
}

const limitNothing = async () => {};

/** Hands the bytes on unread; what is announced to be too large is refused before it is sent. */
function registerStreamedBody(scope: FastifyInstance, { body }: Endpoint): void {
  if (!body) return;
  scope.addContentTypeParser([...body.mediaTypes], (request, payload, done) => {
    const isTooLarge = Number(request.headers['content-length'] ?? 0) > body.bytesMax;
    if (isTooLarge)
      done(
        new AppError('payload_too_large', `The body has more than ${body.bytesMax} bytes, which is what this reads.`),
      );
    else done(null, payload);
  });
}

function rateLimitOptions(max: number) {
  return {
    max,
    timeWindow: 60_000,
    hook: 'preParsing' as const,
    keyGenerator: (request: FastifyRequest) => request.caller?.tokenId ?? request.ip,
    enableDraftSpec: true,
    errorResponseBuilder: (_request: FastifyRequest, { after }: { after: string }) =>
      new AppError('rate_limited', `This token has made ${max} requests within a minute; go on in ${after}.`),
  };
}

function registerRoute(api: FastifyInstance, route: Route, deps: ApiDeps): void {
  const { endpoint } = route;
  const parseQuery = endpoint.query ? queryParser(endpoint.query) : noQuery;
  const isIdempotent = errorsOf(endpoint).includes('idempotency_key_reused');
  api.route({
    method: endpoint.method,
    url: endpoint.path.replaceAll(/\{(\w+)\}/g, ':$1'),
    ...(endpoint.body && { bodyLimit: endpoint.body.bytesMax }),
    config: { operation: endpoint.id, takesLongUploads: endpoint.body !== undefined && !endpoint.body.schema },
    // Before the body is read; of one that the endpoint does not have, the media type means nothing.
    onRequest: async (request) => {
      requireScope(callerOf(request), endpoint.scope);
      if (!endpoint.body) delete request.headers['content-type'];
    },
    handler: async (request, reply) => {
      const caller = callerOf(request);
      const input = {
        params: endpoint.params ? parse(endpoint.params, request.params, 'path') : {},
        query: parseQuery(request.query),
        body: endpoint.body?.schema ? parse(endpoint.body.schema, request.body, 'body') : undefined,
      };
      const context = {
        caller,
        publicUrl: deps.publicUrlOf(request),
        log: request.log as Logger,
        stream: request.body as NodeJS.ReadableStream,
        mediaType: String(request.headers['content-type']).split(';')[0]?.trim().toLowerCase() ?? '',
      };
      const work = () => route.handle(input as never, context);
      const key = isIdempotent ? request.headers['idempotency-key'] : undefined;
      const answer =
        typeof key === 'string'
          ? await deps.idempotency.run(
              caller,
              { key, method: endpoint.method, path: request.url, body: fingerprintOf(request, endpoint) },
              work,
            )
          : await work();
      return send(reply, endpoint, answer);
    },
  });
}

/** What tells the body of a request from that of another; of a stream, which is read once, only what its headers say. */
function fingerprintOf({ body, headers }: FastifyRequest, endpoint: Endpoint): unknown {
  return endpoint.body?.schema ? body : [headers['content-type'], headers['content-length']];
}

function send(
  reply: FastifyReply,
  endpoint: Endpoint,
  { status, body, json, text, headers }: RouteReply,
): FastifyReply {
  reply.code(status);
  if (headers) reply.headers(headers);
  if (text !== undefined)
    return reply.type(endpoint.responses[status]?.mediaType ?? 'text/plain; charset=utf-8').send(text);
  if (json === undefined && body === undefined) return reply.send();
  return reply.type('application/json; charset=utf-8').send(json ?? JSON.stringify(body));
}

/** A known path with a method that it does not have is 405 with the methods that it has. */
function registerOtherMethods(api: FastifyInstance, routes: readonly Route[]): void {
  for (const [path, group] of Map.groupBy(routes, ({ endpoint }) => endpoint.path)) {
    const allowed = group.map(({ endpoint }) => endpoint.method as string);
    if (allowed.includes('GET')) allowed.push('HEAD');
    api.route({
      method: allMethods.filter((method) => !allowed.includes(method)),
      url: path.replaceAll(/\{(\w+)\}/g, ':$1'),
      // Before the body is read: what it holds does not matter.
      onRequest: async () => {
        throw new AppError('method_not_allowed', `This path takes ${allowed.join(', ')}.`, {
          headers: { allow: allowed.join(', ') },
        });
      },
      handler: async () => {},
    });
  }
}

function callerOf(request: FastifyRequest): Caller {
  if (request.caller === null) throw new Error('the hook lets no request without a caller through');
  return request.caller;
}
