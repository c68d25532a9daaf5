import { setTimeout as sleepFor } from 'node:timers/promises';
import { type Dispatcher, EnvHttpProxyAgent, errors, request } from 'undici';
import { OutboundError } from './outbound-error.ts';

export interface OutboundFetchOptions {
  /** The only origins that may be reached, as configured: `https://registry.example` (a path after it is ignored). */
  allowedOrigins: readonly string[];
  userAgent: string;
  timeoutMs: OutboundTimeoutsMs;
  /** The `Authorization` value for an origin; asked again for every redirect, so a secret never follows to another origin. */
  authorizationFor?: (origin: string) => string | undefined;
  /** Forward proxies; nothing is read from the environment here. */
  proxy?: { http?: string | undefined; https?: string | undefined; noProxy?: string | undefined };
  sleep?: (ms: number) => Promise<unknown>;
  /** In [0, 1); spreads the retries of many instances. */
  random?: () => number;
}

export interface OutboundTimeoutsMs {
  connect: number;
  /** From the request to the end of the response's headers. */
  headers: number;
  /** Between two pieces of the body. */
  bodyIdle: number;
  /** Everything: redirects, retries and the whole body. */
  total: number;
}

export interface OutboundRequest {
  headers?: Readonly<Record<string, string>>;
  bodyBytesMax: number;
  signal?: AbortSignal;
}

export interface OutboundResponse {
  status: number;
  /** Where the answer came from, after redirects. */
  url: URL;
  headers: { get(name: string): string | null };
  /** Throws `OutboundError` when it is over the limit, late or cut off. Read it once, with this or `bytes`, or discard it. */
  body: AsyncIterable<Uint8Array>;
  bytes(): Promise<Buffer>;
  /** Gives the connection back without reading the body. */
  discard(): Promise<void>;
}

export interface OutboundFetch extends AsyncDisposable {
  /** GETs the address. Any status but a followed redirect is an answer; everything else that goes wrong is an `OutboundError`. */
  fetch(url: URL, request: OutboundRequest): Promise<OutboundResponse>;
}

const redirectsMax = 3;
const retriesMax = 2;
const retryBaseMs = 250;
const discardBytesMax = 64 * 1024;
const redirectStatuses = new Set([301, 302, 303, 307, 308]);
const retriedStatuses = new Set([502, 503, 504]);

/** The only way out by HTTP: http(s) GETs to configured origins, each redirect checked again, everything bounded. */
export function createOutboundFetch(options: OutboundFetchOptions): OutboundFetch {
  const isAllowed = originCheck(options.allowedOrigins);
  const dispatcher = createDispatcher(options);
  return {
    async fetch(url, outboundRequest) {
      const deadline = AbortSignal.timeout(options.timeoutMs.total);
      const exchange = { options, outboundRequest, dispatcher, deadline, retriesLeft: retriesMax };
      let target = url;
      for (let redirects = 0; redirects <= redirectsMax; redirects += 1) {
        assertAllowed(target, isAllowed);
        const answer = await getWithRetry(target, headersFor(target, url, exchange), exchange);
        const location = redirectStatuses.has(answer.statusCode) ? headerOf(answer, 'location') : null;
        if (location === null) return presentResponse(target, answer, exchange);
        await discardBody(answer);
        target = redirectTarget(location, target);
      }
      throw new OutboundError('too_many_redirects', url, `more than ${redirectsMax} redirects`);
    },
    async [Symbol.asyncDispose]() {
      await dispatcher.destroy();
    },
  };
}

interface Exchange {
  options: OutboundFetchOptions;
  outboundRequest: OutboundRequest;
  dispatcher: Dispatcher;
  deadline: AbortSignal;
  retriesLeft: number;
}

type Answer = Dispatcher.ResponseData;

function originCheck(allowedOrigins: readonly string[]): (url: URL) => boolean {
  const origins = new Set(allowedOrigins.map((allowed) => new URL(allowed).origin));
  return (url) => /^https?:$/.test(url.protocol) && origins.has(url.origin);
}

function createDispatcher({ timeoutMs, proxy }: OutboundFetchOptions): Dispatcher {
  return new EnvHttpProxyAgent({
    // Empty strings, because undici reads the process environment for whatever is undefined.
    httpProxy: proxy?.http ?? '',
    httpsProxy: proxy?.https ?? proxy?.http ?? '',
    noProxy: proxy?.noProxy ?? '',
    connect: { timeout: timeoutMs.connect },
    headersTimeout: timeoutMs.headers,
    bodyTimeout: timeoutMs.bodyIdle,
    allowH2: false,
  });
}

function assertAllowed(url: URL, isAllowed: (url: URL) => boolean): void {
  if (url.username !== '' || url.password !== '') {
    throw new OutboundError('forbidden_target', url, 'the address carries credentials');
  }
  if (!isAllowed(url)) throw new OutboundError('forbidden_target', url, 'the origin is not a configured upstream');
}

const secretHeaders = new Set(['authorization', 'cookie', 'proxy-authorization']);

function headersFor(target: URL, first: URL, { options, outboundRequest }: Exchange): Record<string, string> {
  const given = Object.entries(outboundRequest.headers ?? {}).map(
    ([name, value]) => [name.toLowerCase(), value] as const,
  );
  const kept = given.filter(([name]) => target.origin === first.origin || !secretHeaders.has(name));
  const authorization = options.authorizationFor?.(target.origin);
  return {
    // Digests are those of the bytes as sent, and a compressed body would get around the size limit.
    'accept-encoding': 'identity',
    'user-agent': options.userAgent,
    ...Object.fromEntries(kept),
    ...(authorization === undefined ? {} : { authorization }),
  };
}

async function getWithRetry(url: URL, headers: Record<string, string>, exchange: Exchange): Promise<Answer> {
  for (;;) {
    const outcome = await getOnce(url, headers, exchange);
    const failed = outcome instanceof OutboundError;
    const isRetried = failed ? outcome.kind === 'unreachable' : retriedStatuses.has(outcome.statusCode);
    if (!isRetried || exchange.retriesLeft === 0) {
      if (failed) throw outcome;
      return outcome;
    }
    if (!failed) await discardBody(outcome);
    await backOff(exchange);
    exchange.retriesLeft -= 1;
  }
}

async function getOnce(url: URL, headers: Record<string, string>, exchange: Exchange): Promise<Answer | OutboundError> {
  try {
    return await request(url, { dispatcher: exchange.dispatcher, headers, signal: combinedSignal(exchange) });
  } catch (error) {
    return toOutboundError(error, url, exchange, 'unreachable');
  }
}

function combinedSignal({ deadline, outboundRequest: { signal } }: Exchange): AbortSignal {
  return signal === undefined ? deadline : AbortSignal.any([deadline, signal]);
}

async function backOff({ options, retriesLeft }: Exchange): Promise<void> {
  const { sleep = sleepFor, random = Math.random } = options;
  const ceilingMs = retryBaseMs * 2 ** (retriesMax - retriesLeft);
  await sleep(ceilingMs * (0.5 + random() / 2));
}

function presentResponse(url: URL, answer: Answer, exchange: Exchange): OutboundResponse {
  const { bodyBytesMax } = exchange.outboundRequest;
  if (Number(headerOf(answer, 'content-length') ?? 0) > bodyBytesMax) {
    answer.body.on('error', ignoreLateError).destroy();
    throw tooLarge(url, bodyBytesMax);
  }
  const body = boundedBody(url, answer, exchange);
  return {
    status: answer.statusCode,
    url,
    headers: { get: (name) => headerOf(answer, name) },
    body,
    bytes: () => collect(body),
    discard: () => discardBody(answer),
  };
}

async function collect(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function* boundedBody(url: URL, { body }: Answer, exchange: Exchange): AsyncGenerator<Uint8Array> {
  const { bodyBytesMax } = exchange.outboundRequest;
  let receivedBytes = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      receivedBytes += chunk.length;
      if (receivedBytes > bodyBytesMax) throw tooLarge(url, bodyBytesMax);
      yield chunk;
    }
  } catch (error) {
    throw toOutboundError(error, url, exchange, 'interrupted');
  }
}

function tooLarge(url: URL, bodyBytesMax: number): OutboundError {
  return new OutboundError('too_large', url, `the answer is larger than ${bodyBytesMax} bytes`);
}

function redirectTarget(location: string, from: URL): URL {
  if (!URL.canParse(location, from.href))
    throw new OutboundError('forbidden_target', from, 'the redirect leads nowhere');
  return new URL(location, from);
}

function headerOf({ headers }: Answer, name: string): string | null {
  const value = headers[name.toLowerCase()];
  return (Array.isArray(value) ? value[0] : value) ?? null;
}

async function discardBody({ body }: Answer): Promise<void> {
  body.on('error', ignoreLateError);
  try {
    await body.dump({ limit: discardBytesMax });
  } catch {
    // Nobody wants these bytes: a connection that breaks while they are thrown away is simply not used again.
    body.destroy();
  }
}

function ignoreLateError(): void {}

function toOutboundError(error: unknown, url: URL, exchange: Exchange, otherwise: 'unreachable' | 'interrupted') {
  if (error instanceof OutboundError) return error;
  if (exchange.outboundRequest.signal?.aborted)
    return new OutboundError('aborted', url, 'the request was called off', error);
  const isLate =
    exchange.deadline.aborted ||
    error instanceof errors.HeadersTimeoutError ||
    error instanceof errors.BodyTimeoutError;
  if (isLate) return new OutboundError('timed_out', url, 'no complete answer in time', error);
  const problem = otherwise === 'unreachable' ? 'no connection' : 'the answer broke off';
  return new OutboundError(otherwise, url, problem, error);
}
