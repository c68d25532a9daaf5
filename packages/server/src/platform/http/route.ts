import type { Endpoint, EndpointInput } from '@sealsmith/contract';
import type { Logger } from '../logger.ts';
import type { Caller } from '../tenancy.ts';

/** What a handler may know of its request besides the parsed input. */
export interface RequestContext {
  caller: Caller;
  /** Address under which the client reached the service, without a trailing slash. */
  publicUrl: string;
  log: Logger;
  /** The body of an endpoint whose body has no schema. */
  stream: NodeJS.ReadableStream;
  mediaType: string;
}

export interface RouteReply {
  status: number;
  /** A value that becomes JSON, as the endpoint's response schema has it. */
  body?: unknown;
  /** JSON that is serialised already. */
  json?: string;
  /** A text body, sent with the endpoint's media type. */
  text?: string;
  headers?: Record<string, string>;
}

/** An endpoint and what answers it. */
export interface Route {
  endpoint: Endpoint;
  handle(input: EndpointInput<Endpoint>, context: RequestContext): Promise<RouteReply>;
}

export function defineRoute<E extends Endpoint>(
  endpoint: E,
  handle: (input: EndpointInput<E>, context: RequestContext) => Promise<RouteReply>,
): Route {
  return { endpoint, handle: handle as Route['handle'] };
}
