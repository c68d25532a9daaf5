import type { Readable } from 'node:stream';
import {
  basePath,
  type Endpoint,
  type EndpointAnswer,
  type EndpointBody,
  type EndpointParams,
  type EndpointQuery,
} from '@sealsmith/contract';
import { Agent, request } from 'undici';
import { CliError } from './cli-error.ts';
import type { CliIo } from './cli-io.ts';
import { isWorthAnotherTry, readAnswer, type ServerAnswer, toSuccess, unreachable } from './server-answer.ts';
import type { Settings } from './settings.ts';

/** A body that is no JSON value of ours; opened anew for every try. */
export interface BodySource {
  mediaType: string;
  open(): Promise<string | Readable>;
}

export interface ClientRequest<E extends Endpoint> {
  params?: EndpointParams<E>;
  query?: Partial<EndpointQuery<E>>;
  body?: EndpointBody<E>;
  source?: BodySource;
  /** Names the request to the server, so that a second try cannot do it twice. */
  idempotencyKey?: string;
}

export interface Client extends AsyncDisposable {
  readonly serverUrl: string;
  /** Answers with the body of a success. @throws CliError for everything else */
  call<E extends Endpoint>(endpoint: E, request?: ClientRequest<E>): Promise<EndpointAnswer<E>>;
}

const triesMax = 3;
const retryBaseMs = 300;
const timeoutMs = 60_000;
/** An import answers when all of it is read. */
const importTimeoutMs = 60 * 60_000;

/** Speaks to the service; each request is safe to repeat, so what fails on the way is tried again. */
export function createClient(
  { serverUrl, token }: Settings,
  { signal, sleep }: Pick<CliIo, 'signal' | 'sleep'>,
): Client {
  const agent = new Agent({ connect: { timeout: 10_000 } });
  return {
    serverUrl,
    async call(endpoint, input = {}) {
      for (let attempt = 1; ; attempt += 1) {
        const outcome = await exchange(endpoint, input, { agent, serverUrl, token, signal });
        const isLast = attempt === triesMax;
        if (outcome instanceof CliError && (isLast || outcome.kind === 'interrupted')) throw outcome;
        if (!(outcome instanceof CliError) && (isLast || !isWorthAnotherTry(outcome))) {
          return toSuccess(endpoint, outcome, serverUrl);
        }
        await sleep(waitMs(attempt, outcome));
        if (signal.aborted) throw interrupted();
      }
    },
    async [Symbol.asyncDispose]() {
      await agent.destroy();
    },
  };
}

interface Connection {
  agent: Agent;
  serverUrl: string;
  token: string;
  signal: AbortSignal;
}

/** One try: an answer of any status, or what kept it from coming. */
async function exchange<E extends Endpoint>(
  endpoint: E,
  input: ClientRequest<E>,
  { agent, serverUrl, token, signal }: Connection,
): Promise<ServerAnswer | CliError> {
  const { body, mediaType } = await bodyOf(input);
  const headers: Record<string, string> = {
    authorization: `Bearer ${token}`,
    accept: 'application/json, application/problem+json, text/plain',
    'user-agent': 'sealsmith-cli',
  };
  if (mediaType !== null) headers['content-type'] = mediaType;
  if (input.idempotencyKey !== undefined) headers['idempotency-key'] = input.idempotencyKey;
  const headersTimeout = input.source === undefined ? timeoutMs : importTimeoutMs;
  try {
    const options = {
      dispatcher: agent,
      method: endpoint.method,
      headers,
      body,
      signal,
      headersTimeout,
      bodyTimeout: timeoutMs,
    };
    return await readAnswer(await request(addressOf(serverUrl, endpoint, input), options));
  } catch (error) {
    if (signal.aborted) return interrupted();
    if (error instanceof CliError) throw error;
    return unreachable(serverUrl, error);
  }
}

async function bodyOf<E extends Endpoint>({ body, source }: ClientRequest<E>) {
  if (source !== undefined) return { body: await source.open(), mediaType: source.mediaType };
  if (body === undefined) return { body: null, mediaType: null };
  return { body: JSON.stringify(body), mediaType: 'application/json' };
}

function addressOf<E extends Endpoint>(serverUrl: string, endpoint: E, { params, query }: ClientRequest<E>): string {
  const values: Readonly<Record<string, unknown>> = params ?? {};
  const path = endpoint.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name])));
  const pairs = Object.entries(query ?? {}).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, String(value)]],
  );
  const search = pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`;
  return `${serverUrl}${basePath}${path}${search}`;
}

function waitMs(attempt: number, outcome: ServerAnswer | CliError): number {
  const asked = outcome instanceof CliError ? null : outcome.retryAfterMs;
  return asked ?? retryBaseMs * 4 ** (attempt - 1);
}

function interrupted(): CliError {
  return new CliError('interrupted', 'Interrupted.');
}
