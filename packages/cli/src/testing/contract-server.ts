import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { basePath, type Endpoint, type EndpointId, type ErrorCode, endpoints, errorCodes } from '@sealsmith/contract';

export interface ReceivedRequest {
  endpoint: EndpointId;
  params: Record<string, string>;
  query: Record<string, string>;
  /** Parsed when it is JSON that the contract describes, else the text. */
  body: unknown;
  headers: IncomingMessage['headers'];
}

export type Reply =
  | { status: number; body?: unknown; headers?: Record<string, string> }
  | { code: ErrorCode; detail: string; headers?: Record<string, string> }
  | 'hang up';

type Handlers = Partial<Record<EndpointId, (request: ReceivedRequest) => Reply>>;

export interface ContractServer extends AsyncDisposable {
  url: string;
  received: ReceivedRequest[];
}

export const testToken = 'ssm_test-token';

/**
 * A service for tests: it holds every request against the contract, and what a test answers too. What breaks the
 * contract is thrown when the server is disposed of, so that no test can pass with it.
 */
export async function startContractServer(handlers: Handlers): Promise<ContractServer> {
  const received: ReceivedRequest[] = [];
  const violations: string[] = [];
  const server = createServer((request, response) => {
    answer(request, handlers, { received, violations }).then(
      (reply) => send(response, reply),
      (error: unknown) => {
        violations.push(String(error));
        send(response, { code: 'internal_error', detail: String(error) });
      },
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      if (violations.length > 0) throw new Error(`Broken contract:\n${violations.join('\n')}`);
    },
  };
}

interface Log {
  received: ReceivedRequest[];
  violations: string[];
}

async function answer(incoming: IncomingMessage, handlers: Handlers, { received, violations }: Log): Promise<Reply> {
  const url = new URL(incoming.url ?? '', 'http://server');
  const raw = await buffer(incoming);
  const found = findEndpoint(incoming.method, url.pathname);
  if (found === null) return { code: 'not_found', detail: 'There is nothing at this path.' };
  if (incoming.headers.authorization !== `Bearer ${testToken}`) {
    return { code: 'unauthorized', detail: 'The access token is not known.' };
  }
  const { id, endpoint, params } = found;
  const query = Object.fromEntries(url.searchParams);
  const body = readBody(endpoint, incoming, raw);
  violations.push(...inputViolations(endpoint, { params, query, body }));
  const request = { endpoint: id, params, query, body, headers: incoming.headers };
  received.push(request);
  const reply = handlers[id]?.(request);
  if (reply === undefined) throw new Error(`${id} was not expected`);
  if (reply !== 'hang up' && 'status' in reply) violations.push(...replyViolations(endpoint, reply));
  return reply;
}

function findEndpoint(method: string | undefined, pathname: string) {
  for (const [id, endpoint] of Object.entries(endpoints)) {
    const names = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
    const shape = new RegExp(`^${basePath}${endpoint.path.replace(/\{\w+\}/g, '([^/]+)')}$`);
    const match = endpoint.method === method ? shape.exec(pathname) : null;
    if (match === null) continue;
    const params = Object.fromEntries(names.map((name, index) => [name, decodeURIComponent(match[index + 1] ?? '')]));
    return { id: id as EndpointId, endpoint: endpoint as Endpoint, params };
  }
  return null;
}

function readBody(endpoint: Endpoint, { headers }: IncomingMessage, raw: Buffer): unknown {
  if (endpoint.body === undefined) return undefined;
  if (!endpoint.body.mediaTypes.includes(headers['content-type'] ?? '')) {
    throw new Error(`${endpoint.id} does not read ${headers['content-type']}`);
  }
  return endpoint.body.schema === undefined ? raw.toString('utf8') : JSON.parse(raw.toString('utf8'));
}

function inputViolations(
  endpoint: Endpoint,
  { params, query, body }: Pick<ReceivedRequest, 'params' | 'query' | 'body'>,
): string[] {
  const typed = Object.fromEntries(Object.entries(query).map(([name, text]) => [name, typedValue(name, text)]));
  const unknown = Object.keys(query).filter((name) => !(name in (endpoint.query?.shape ?? {})));
  const errors = [
    endpoint.params?.safeParse(params).error,
    endpoint.query?.safeParse(typed).error,
    endpoint.body?.schema?.safeParse(body).error,
  ];
  return [
    ...unknown.map((name) => `${endpoint.id}: unknown parameter ${name}`),
    ...errors.filter((error) => error !== undefined).map((error) => `${endpoint.id}: ${error.message}`),
  ];
}

function typedValue(name: string, text: string): unknown {
  if (name === 'limit') return Number(text);
  return name === 'is_hidden' ? text === 'true' : text;
}

function replyViolations(endpoint: Endpoint, { status, body }: { status: number; body?: unknown }): string[] {
  const response = endpoint.responses[status];
  if (response === undefined) return [];
  const error = response.schema?.safeParse(body).error;
  return error === undefined ? [] : [`The test answers ${endpoint.id} wrongly: ${error.message}`];
}

function send(response: ServerResponse, reply: Reply): void {
  if (reply === 'hang up') return void response.destroy();
  if ('code' in reply) {
    const { status, title } = errorCodes[reply.code];
    const problem = { type: 'urn:test', title, status, detail: reply.detail, code: reply.code, request_id: 'req-1' };
    response.writeHead(status, { 'content-type': 'application/problem+json', ...reply.headers });
    return void response.end(JSON.stringify(problem));
  }
  const isText = typeof reply.body === 'string';
  response.writeHead(reply.status, { 'content-type': isText ? 'text/plain' : 'application/json', ...reply.headers });
  response.end(isText ? reply.body : reply.body === undefined ? '' : JSON.stringify(reply.body));
}
