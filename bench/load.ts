import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface LoadResult {
  requestsPerSecond: number;
  p50Ms: number;
  p99Ms: number;
  requests: number;
  /** Mean size of the bodies. */
  bodyBytes: number;
}

interface LoadOptions {
  url: string;
  /** Requests as they go over the wire, taken in turn. */
  requests: readonly Buffer[];
  connections: number;
  seconds: number;
}

const headersEnd = Buffer.from('\r\n\r\n');

/** A GET request with a token, ready to be sent again and again. */
export function getRequest(url: string, path: string, token: string | null): Buffer {
  const authorization = token === null ? '' : `Authorization: Bearer ${token}\r\n`;
  return Buffer.from(`GET ${path} HTTP/1.1\r\nHost: ${new URL(url).host}\r\n${authorization}\r\n`);
}

/**
 * Sends requests over some connections, each waiting for its answer before the next. It shares two cores with the server,
 * so that it does as little as it can: it reads the status and the length of an answer and nothing else.
 * @throws Error when an answer is not 200
 */
export async function measureLoad({ url, requests, connections, seconds }: LoadOptions): Promise<LoadResult> {
  const latenciesMs: number[] = [];
  let bodyBytes = 0;
  let next = 0;
  const startedAt = performance.now();
  const endAt = startedAt + seconds * 1000;
  const runConnection = async () => {
    const connection = await openConnection(url);
    while (performance.now() < endAt) {
      const request = requests[next++ % requests.length];
      if (!request) throw new Error('there is nothing to request');
      const sentAt = performance.now();
      const received = await connection.exchange(request);
      bodyBytes += received;
      latenciesMs.push(performance.now() - sentAt);
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: connections }, runConnection));
  const elapsedSeconds = (performance.now() - startedAt) / 1000;
  latenciesMs.sort((a, b) => a - b);
  const percentile = (share: number) => latenciesMs[Math.floor((latenciesMs.length - 1) * share)] ?? Number.NaN;
  return {
    requestsPerSecond: latenciesMs.length / elapsedSeconds,
    p50Ms: percentile(0.5),
    p99Ms: percentile(0.99),
    requests: latenciesMs.length,
    bodyBytes: bodyBytes / latenciesMs.length,
  };
}

async function openConnection(url: string) {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  await once(socket, 'connect');
  return {
    /** @returns the size of the answer's body */
    exchange: (request: Buffer) => exchange(socket, request),
    close: () => socket.destroy(),
  };
}

function exchange(socket: Socket, request: Buffer): Promise<number> {
  return new Promise((resolve, reject) => {
    let head: Buffer = Buffer.alloc(0);
    let bodyBytes = -1;
    let missing = 0;
    const finish = (error?: Error) => {
      socket.off('data', read);
      socket.off('error', finish);
      if (error) reject(error);
      else resolve(bodyBytes);
    };
    const read = (chunk: Buffer) => {
      if (bodyBytes >= 0) missing -= chunk.length;
      else {
        head = head.length === 0 ? chunk : Buffer.concat([head, chunk]);
        const end = head.indexOf(headersEnd);
        if (end < 0) return;
        const text = head.toString('latin1', 0, end);
        if (!text.startsWith('HTTP/1.1 200')) return finish(new Error(`an answer was not 200: ${text.slice(0, 200)}`));
        bodyBytes = Number(/content-length: (\d+)/i.exec(text)?.[1]);
        missing = bodyBytes - (head.length - end - headersEnd.length);
      }
      if (missing <= 0) finish();
    };
    socket.on('data', read);
    socket.on('error', finish);
    socket.write(request);
  });
}
