import { request as httpRequest, type IncomingMessage } from 'node:http';
import {
  basePath,
  type Endpoint,
  type EndpointId,
  type ErrorCode,
  endpoints,
  errorCodes,
  errorsOf,
  problemSchema,
} from '@sealsmith/contract';
import { expect } from 'vitest';
import { z } from 'zod';

export interface ApiRequest {
  /** null sends no token. */
  token?: string | null;
  /** Sent as JSON; a string or bytes are sent as they are. */
  body?: unknown;
  headers?: Record<string, string>;
}

export interface ApiAnswer {
  status: number;
  headers: Headers;
  text: string;
  /** The parsed body; empty when it is no JSON. */
  json: Record<string, unknown>;
}

/** The body of a list. */
export function pageOf({ json }: ApiAnswer): { items: Record<string, unknown>[]; next_page: string | null } {
  return z.object({ items: z.array(z.record(z.string(), z.unknown())), next_page: z.string().nullable() }).parse(json);
}

/** Every item of a list, page by page, as a client is told to get them. */
export async function listAll(api: Api, path: string): Promise<Record<string, unknown>[]> {
  const items: Record<string, unknown>[] = [];
  const separator = path.includes('?') ? '&' : '?';
  let page = pageOf(await api('GET', path));
  for (let pages = 1; pages <= pagesMax; pages++) {
    items.push(...page.items);
    if (page.next_page === null) return items;
    page = pageOf(await api('GET', `${path}${separator}cursor=${page.next_page}`));
  }
  throw new Error(`${path} does not end after ${pagesMax} pages`);
}

const pagesMax = 1_000;

/** Sends a request below the base path. Every answer of an endpoint is held to the contract, whatever the test asks. */
export type Api = (method: string, path: string, request?: ApiRequest) => Promise<ApiAnswer>;

/** What an endpoint answered: a status of success, or the code of a problem. */
export interface Observation {
  endpoint: EndpointId;
  outcome: number | ErrorCode;
}

const observed: Observation[] = [];

/** Takes what was answered since the last call, by every client of this process. */
export function takeObservations(): Observation[] {
  return observed.splice(0);
}

export function createApi(url: string, defaultToken: string): Api {
  return async (method, path, { token = defaultToken, body, headers = {} } = {}) => {
    const isRaw = typeof body === 'string' || body instanceof Uint8Array;
    const answer = await send(`${url}${basePath}${path}`, {
      method,
      headers: {
        ...(token !== null && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      body: isRaw || body === undefined ? (body as string | Uint8Array | undefined) : JSON.stringify(body),
    });
    observe(method, path, answer);
    return answer;
  };
}

interface RawRequest {
  method: string;
  headers: Record<string, string>;
  body?: string | Uint8Array | undefined;
}

/** Unlike `fetch`, reads the answer to a request whose body was announced and is not sent. */
export function send(url: string, { method, headers, body }: RawRequest): Promise<ApiAnswer> {
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, { method, headers: { ...length, ...headers }, agent: false }, (response) => {
      readAnswer(response).then(resolve, reject);
      response.on('close', () => request.destroy());
    });
    request.on('error', reject);
    if (body === undefined && 'content-length' in headers) request.flushHeaders();
    else request.end(body);
  });
}

async function readAnswer(response: IncomingMessage): Promise<ApiAnswer> {
  const text = Buffer.concat(await response.toArray()).toString('utf8');
  const headers = new Headers();
  for (const [name, values] of Object.entries(response.headersDistinct)) headers.set(name, values?.join(', ') ?? '');
  const isJson = /^application\/(\w+\+)?json/.test(headers.get('content-type') ?? '');
  return { status: response.statusCode ?? 0, headers, text, json: isJson && text !== '' ? JSON.parse(text) : {} };
}

function observe(method: string, path: string, answer: ApiAnswer): void {
  const { status } = answer;
  if (status >= 400) expectProblem(answer);
  const endpoint = endpointAt(method, path);
  if (!endpoint) return;
  if (status >= 400) {
    const { code } = problemSchema.parse(answer.json);
    expect(errorsOf(endpoint), `the contract lists ${code} for ${endpoint.id}`).toContain(code);
    observed.push({ endpoint: endpoint.id as EndpointId, outcome: code });
  } else {
    expectListed(endpoint, answer);
    observed.push({ endpoint: endpoint.id as EndpointId, outcome: status });
  }
}

/** An RFC 9457 body that says what its code and status say. */
export function expectProblem({ status, headers, json }: ApiAnswer): void {
  expect(headers.get('content-type')).toMatch(/^application\/problem\+json(;|$)/);
  const problem = problemSchema.strict().parse(json);
  expect(problem.status).toBe(status);
  expect(errorCodes[problem.code]).toEqual({ status, title: problem.title });
  expect(problem.type).toBe(`urn:sealsmith:problem:${problem.code.replaceAll('_', '-')}`);
  expect(problem.request_id).toBe(headers.get('x-request-id'));
}

function expectListed(endpoint: Endpoint, { status, headers, text, json }: ApiAnswer): void {
  const response = endpoint.responses[status];
  if (!response) throw new Error(`${endpoint.id} answers ${status}, which the contract does not list`);
  if (!response.schema) {
    expect(text).toBe('');
    return;
  }
  const mediaType = response.mediaType ?? 'application/json; charset=utf-8';
  expect(headers.get('content-type')).toBe(mediaType);
  for (const name of Object.keys(response.headers ?? {})) expect(headers.has(name), name).toBe(true);
  response.schema.parse(mediaType.startsWith('application/json') ? json : text);
}

function endpointAt(method: string, path: string): Endpoint | undefined {
  const [pathname = ''] = path.split('?');
  return (Object.values(endpoints) as Endpoint[]).find(
    (endpoint) =>
      endpoint.method === method && new RegExp(`^${endpoint.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(pathname),
  );
}
