import { type Endpoint, type EndpointAnswer, problemSchema } from '@sealsmith/contract';
import type { Dispatcher } from 'undici';
import { CliError, type ServerProblem } from './cli-error.ts';

export interface ServerAnswer {
  status: number;
  mediaType: string;
  text: string;
  /** What the server asks to wait before the next try; null when it says nothing. */
  retryAfterMs: number | null;
}

const answerBytesMax = 256 * 1024 * 1024;
const retryAfterSecondsMax = 30;

/** Reads an answer whole. @throws CliError when it is too large */
export async function readAnswer({ statusCode, headers, body }: Dispatcher.ResponseData): Promise<ServerAnswer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > answerBytesMax)
      throw new CliError('server', `The server answers with more than ${answerBytesMax} bytes.`);
    chunks.push(chunk);
  }
  return {
    status: statusCode,
    mediaType:
      String(headers['content-type'] ?? '')
        .split(';', 1)[0]
        ?.trim()
        .toLowerCase() ?? '',
    text: Buffer.concat(chunks).toString('utf8'),
    retryAfterMs: retryAfterOf(headers['retry-after']),
  };
}

export function isWorthAnotherTry(answer: ServerAnswer): boolean {
  return answer.status >= 500 || answer.status === 429 || problemIn(answer)?.code === 'idempotency_key_in_use';
}

/** The body of a success, as the contract describes it. @throws CliError for everything else */
export function toSuccess<E extends Endpoint>(endpoint: E, answer: ServerAnswer, serverUrl: string): EndpointAnswer<E> {
  const response = endpoint.responses[answer.status];
  if (response === undefined) throw refusalOf(answer, serverUrl);
  if (response.schema === undefined) return null as EndpointAnswer<E>;
  const value = response.mediaType === undefined ? parseJson(answer.text) : answer.text;
  const parsed = response.schema.safeParse(value);
  if (parsed.success) return parsed.data as EndpointAnswer<E>;
  const place = parsed.error.issues[0]?.path.join('.') ?? '';
  throw new CliError(
    'server',
    `The server at ${serverUrl} answers ${endpoint.method} ${endpoint.path} in a form that this version of sealsmith does not know${place === '' ? '' : ` (at ${place})`}.`,
  );
}

/** The request got no answer. */
export function unreachable(serverUrl: string, cause: unknown): CliError {
  const { code, message } = (cause ?? {}) as { code?: unknown; message?: unknown };
  const reason = typeof code === 'string' ? code : String(message ?? 'no answer');
  return new CliError(
    'server',
    `The server at ${serverUrl} cannot be reached (${reason}). Check that it is running and that SEALSMITH_URL is right.`,
    { cause },
  );
}

function refusalOf(answer: ServerAnswer, serverUrl: string): CliError {
  const problem = problemIn(answer);
  if (problem === null) {
    return new CliError(
      'server',
      `The server at ${serverUrl} answers with status ${answer.status} and not as a Sealsmith service does. Check SEALSMITH_URL.`,
    );
  }
  const isOfServer = problem.status >= 500 || [401, 403, 429].includes(problem.status);
  return new CliError(isOfServer ? 'server' : 'refused', problem.detail, { problem });
}

/** A newer server may have codes that this version does not know: the rest of the problem still says what is wrong. */
const openProblemSchema = problemSchema.omit({ code: true });

function problemIn({ status, text }: ServerAnswer): ServerProblem | null {
  const value = parseJson(text);
  const parsed = openProblemSchema.safeParse(value);
  if (!parsed.success || parsed.data.status !== status) return null;
  const { code } = value as { code?: unknown };
  return { ...parsed.data, code: String(code ?? '') };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function retryAfterOf(header: string | string[] | undefined): number | null {
  const seconds = typeof header === 'string' && /^\d{1,9}$/.test(header) ? Number(header) : null;
  return seconds === null ? null : Math.min(seconds, retryAfterSecondsMax) * 1000;
}
