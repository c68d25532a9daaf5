import { Readable } from 'node:stream';
import { AppError } from '../../platform/app-error.ts';
import { parse } from '../../platform/http/input.ts';
import type { Route, RouteReply } from '../../platform/http/route.ts';
import { createLogger } from '../../platform/logger.ts';
import { callerOf } from './catalog.ts';

interface Call {
  params?: Record<string, string>;
  query?: Record<string, unknown>;
  body?: unknown;
  tenantId?: number;
}

/** Calls a handler as the HTTP layer does: with an input that its endpoint's schemas have parsed. */
export async function callRoute({ endpoint, handle }: Route, call: Call = {}): Promise<RouteReply> {
  const { params = {}, query = {}, body, tenantId = 1 } = call;
  const input = {
    params: endpoint.params ? parse(endpoint.params, params, 'path') : {},
    query: endpoint.query ? parse(endpoint.query, query, 'query') : {},
    body: endpoint.body?.schema ? parse(endpoint.body.schema, body, 'body') : undefined,
  };
  const context = {
    caller: callerOf(tenantId),
    publicUrl: 'http://service.test',
    log: createLogger('silent'),
    stream: Readable.from([]),
    mediaType: 'application/json',
  };
  return handle(input as Parameters<Route['handle']>[0], context);
}

/** The failure that a call ends with. */
export async function failureOf(reply: Promise<unknown>): Promise<AppError> {
  const outcome = await reply.then(
    () => null,
    (error: unknown) => error,
  );
  if (outcome instanceof AppError) return outcome;
  throw new Error('the call did not end with an expected failure', { cause: outcome });
}
