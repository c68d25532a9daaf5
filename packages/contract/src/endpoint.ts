import type { z } from 'zod';
import type { ErrorCode } from './error-codes.ts';
import type { Scope } from './tokens.ts';

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'DELETE';

export interface SuccessResponse {
  description: string;
  /** Absent for a response without a body. */
  schema?: z.ZodType;
  /** Default `application/json`. */
  mediaType?: string;
  headers?: Readonly<Record<string, string>>;
}

export interface RequestBody {
  /** Absent for media types whose bytes are read as a stream. */
  schema?: z.ZodType;
  mediaTypes: readonly string[];
  bytesMax: number;
}

/** One row of the endpoint table: what is accepted, what is answered. Validation, OpenAPI and the client read it. */
export interface Endpoint {
  id: string;
  method: HttpMethod;
  /** Below the base path; parameters stand in braces. */
  path: string;
  summary: string;
  description?: string;
  tag: string;
  /** The scope that the token must carry. */
  scope: Scope;
  params?: z.ZodObject;
  query?: z.ZodObject;
  body?: RequestBody;
  responses: Readonly<Record<number, SuccessResponse>>;
  /** The codes that are this endpoint's own; those that hold for all are added by {@link errorsOf}. */
  errors: readonly ErrorCode[];
}

type OutputOf<Schema> = Schema extends z.ZodType ? z.output<Schema> : Record<string, never>;
type InputOf<Schema> = Schema extends z.ZodType ? z.input<Schema> : Record<string, never>;

/** The parsed input that a handler receives. */
export interface EndpointInput<E extends Endpoint> {
  params: OutputOf<E['params']>;
  query: OutputOf<E['query']>;
  body: E['body'] extends { schema: infer Schema extends z.ZodType } ? z.output<Schema> : undefined;
}

/** The query as a client writes it. */
export type EndpointQuery<E extends Endpoint> = InputOf<E['query']>;

/** The path parameters as a client writes them. */
export type EndpointParams<E extends Endpoint> = InputOf<E['params']>;

/** The JSON body as a client writes it. */
export type EndpointBody<E extends Endpoint> = E['body'] extends { schema: infer Schema extends z.ZodType }
  ? z.input<Schema>
  : undefined;

/** The body of a success as a client reads it; null where there is none. */
export type EndpointAnswer<E extends Endpoint> = AnswerOf<E['responses'][keyof E['responses']]>;

type AnswerOf<Response> = Response extends { schema: infer Schema extends z.ZodType } ? z.output<Schema> : null;

/** The codes that an endpoint may answer with, its own and those that hold for every endpoint of its kind. */
export function errorsOf(endpoint: Endpoint): ErrorCode[] {
  const codes: ErrorCode[] = ['unauthorized', 'forbidden', 'rate_limited', 'internal_error', 'invalid_parameter'];
  if (endpoint.body) codes.push('payload_too_large', 'unsupported_media_type');
  // Of a streamed body, what cannot be read is part of the answer.
  if (endpoint.body?.schema) codes.push('malformed_request');
  if (endpoint.method === 'POST') codes.push('idempotency_key_in_use', 'idempotency_key_reused');
  return [...new Set([...codes, ...endpoint.errors])];
}
