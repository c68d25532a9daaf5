import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer, type Server as TcpServer } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { OutboundError } from './outbound-error.ts';
import { createOutboundFetch, type OutboundFetchOptions } from './outbound-fetch.ts';

const open: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

async function listen<T extends Server | TcpServer>(server: T): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push(
    () =>
      new Promise((resolve) => {
        server.close(resolve);
        if ('closeAllConnections' in server) server.closeAllConnections();
      }),
  );
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const serve = (listener: RequestListener) => listen(createServer(listener));

function outboundTo(allowedOrigins: string[], overrides: Partial<OutboundFetchOptions> = {}) {
  const outbound = createOutboundFetch({
    allowedOrigins,
    userAgent: 'sealsmith-test',
    timeoutMs: { connect: 2000, headers: 400, bodyIdle: 400, total: 3000 },
    sleep: async () => undefined,
    random: () => 0.5,
    ...overrides,
  });
  open.push(async () => outbound[Symbol.asyncDispose]());
  return outbound;
}

async function kindOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return 'answered';
  } catch (error) {
    if (error instanceof OutboundError) return error.kind;
    throw error;
  }
}

const bodyBytesMax = 1000;

test('an allowed address is answered whole, with the client named and no compression asked for', async () => {
  const origin = await serve((request, response) => {
    response.end(`${request.headers['user-agent']} ${request.headers['accept-encoding']} ${request.url}`);
  });
  const response = await outboundTo([`${origin}/some/path`]).fetch(new URL(`${origin}/a?b=c`), { bodyBytesMax });
  expect(response.status).toBe(200);
  expect((await response.bytes()).toString()).toBe('sealsmith-test identity /a?b=c');
});

test('no address outside of the allowed origins is asked', async () => {
  let asked = 0;
  const origin = await serve((_request, response) => {
    asked += 1;
    response.end();
  });
  const outbound = outboundTo(['http://127.0.0.1:1']);
  expect(await kindOf(outbound.fetch(new URL(origin), { bodyBytesMax }))).toBe('forbidden_target');
  expect(await kindOf(outbound.fetch(new URL('file:///etc/hosts'), { bodyBytesMax }))).toBe('forbidden_target');
  expect(asked).toBe(0);
});

test('an address with credentials is refused and its message does not repeat them', async () => {
  const origin = await serve((_request, response) => response.end());
  const url = new URL(origin.replace('//', '//user:secret@'));
  const failure = await outboundTo([origin])
    .fetch(url, { bodyBytesMax })
    .catch((error: unknown) => error);
  expect(failure).toMatchObject({ kind: 'forbidden_target' });
  expect(String(failure)).not.toContain('secret');
});

test('a redirect to an origin that is not allowed is not followed', async () => {
  let asked = 0;
  const inner = await serve((_request, response) => {
    asked += 1;
    response.end('internal');
  });
  const origin = await serve((_request, response) => response.writeHead(302, { location: `${inner}/metadata` }).end());
  expect(await kindOf(outboundTo([origin]).fetch(new URL(origin), { bodyBytesMax }))).toBe('forbidden_target');
  expect(asked).toBe(0);
});

test('authorization is each origin’s own, and a caller’s secrets do not cross to another origin', async () => {
  const seen: (string | undefined)[] = [];
  const other = await serve((request, response) => {
    seen.push(request.headers.authorization, request.headers.cookie);
    response.end('there');
  });
  const origin = await serve((request, response) => {
    seen.push(request.headers.authorization, request.headers.cookie);
    response.writeHead(307, { location: other }).end();
  });
  const outbound = outboundTo([origin, other], {
    authorizationFor: (asked) => (asked === origin ? 'Bearer first' : undefined),
  });
  const response = await outbound.fetch(new URL(origin), { bodyBytesMax, headers: { Cookie: 'a=b' } });
  expect((await response.bytes()).toString()).toBe('there');
  expect(response.url.origin).toBe(other);
  expect(seen).toEqual(['Bearer first', 'a=b', undefined, undefined]);
});

test('three redirects are followed, four are too many', async () => {
  const origin = await serve((request, response) => {
    const left = Number(request.url?.slice(1));
    if (left === 0) response.end('arrived');
    else response.writeHead(301, { location: `/${left - 1}` }).end();
  });
  const outbound = outboundTo([origin]);
  const third = await outbound.fetch(new URL(`${origin}/3`), { bodyBytesMax });
  expect((await third.bytes()).toString()).toBe('arrived');
  expect(await kindOf(outbound.fetch(new URL(`${origin}/4`), { bodyBytesMax }))).toBe('too_many_redirects');
});

test('an announced body over the limit is refused before it is read, an endless one when it passes the limit', async () => {
  const origin = await serve((request, response) => {
    if (request.url === '/announced') response.writeHead(200, { 'content-length': '5000' }).write('x');
    else {
      const more = () => {
        while (!response.destroyed && response.write('x'.repeat(100)));
      };
      response.on('drain', more);
      more();
    }
  });
  const outbound = outboundTo([origin]);
  expect(await kindOf(outbound.fetch(new URL(`${origin}/announced`), { bodyBytesMax }))).toBe('too_large');
  const endless = await outbound.fetch(new URL(`${origin}/endless`), { bodyBytesMax });
  expect(await kindOf(endless.bytes())).toBe('too_large');
});

test('a body that is shorter than announced is not taken for whole', async () => {
  const origin = await listen(
    createTcpServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this'));
    }),
  );
  const response = await outboundTo([origin]).fetch(new URL(origin), { bodyBytesMax });
  expect(await kindOf(response.bytes())).toBe('interrupted');
});

test('headers that come drop by drop, and a body that stops, run into their time limits', async () => {
  const dripping = await listen(
    createTcpServer((socket) => {
      const timer = setInterval(() => socket.write('X-Drop: 1\r\n'), 50);
      socket.on('close', () => clearInterval(timer)).on('error', () => undefined);
      socket.write('HTTP/1.1 200 OK\r\n');
    }),
  );
  const stopping = await serve((_request, response) => response.writeHead(200).write('x'));
  const outbound = outboundTo([dripping, stopping], {
    timeoutMs: { connect: 2000, headers: 400, bodyIdle: 400, total: 1500 },
  });
  expect(await kindOf(outbound.fetch(new URL(dripping), { bodyBytesMax }))).toBe('timed_out');
  const response = await outbound.fetch(new URL(stopping), { bodyBytesMax });
  expect(await kindOf(response.bytes())).toBe('timed_out');
});

test('a body that trickles for ever runs into the total time limit', async () => {
  const origin = await serve((_request, response) => {
    const timer = setInterval(() => response.write('x'), 50);
    response.on('close', () => clearInterval(timer));
  });
  const outbound = outboundTo([origin], { timeoutMs: { connect: 2000, headers: 400, bodyIdle: 400, total: 700 } });
  const response = await outbound.fetch(new URL(origin), { bodyBytesMax });
  expect(await kindOf(response.bytes())).toBe('timed_out');
});

test('a bad gateway is asked twice more, later and later; other failures are answers', async () => {
  const asked: string[] = [];
  const slept: number[] = [];
  const origin = await serve((request, response) => {
    asked.push(request.url ?? '');
    const isRecovered = request.url === '/recovers' && asked.length === 3;
    response.writeHead(request.url === '/500' ? 500 : isRecovered ? 200 : 503).end('body');
  });
  const outbound = outboundTo([origin], { sleep: async (ms) => void slept.push(ms) });
  expect((await outbound.fetch(new URL(`${origin}/recovers`), { bodyBytesMax })).status).toBe(200);
  expect(slept).toEqual([187.5, 375]);
  expect((await outbound.fetch(new URL(`${origin}/down`), { bodyBytesMax })).status).toBe(503);
  expect((await outbound.fetch(new URL(`${origin}/500`), { bodyBytesMax })).status).toBe(500);
  expect(asked).toEqual(['/recovers', '/recovers', '/recovers', '/down', '/down', '/down', '/500']);
});

test('a dropped connection is tried again, and reported when it stays that way', async () => {
  let connections = 0;
  const origin = await listen(
    createTcpServer((socket) => {
      connections += 1;
      socket.on('error', () => undefined);
      if (connections === 2) socket.once('data', () => socket.end('HTTP/1.1 204 No Content\r\n\r\n'));
      else socket.once('data', () => socket.destroy());
    }),
  );
  const outbound = outboundTo([origin]);
  expect((await outbound.fetch(new URL(origin), { bodyBytesMax })).status).toBe(204);
  expect(await kindOf(outbound.fetch(new URL(origin), { bodyBytesMax }))).toBe('unreachable');
  expect(connections).toBe(5);
});

test('the caller’s signal ends a request, also while its body is read', async () => {
  const origin = await serve((_request, response) => response.writeHead(200).write('x'));
  const controller = new AbortController();
  const response = await outboundTo([origin]).fetch(new URL(origin), { bodyBytesMax, signal: controller.signal });
  const reading = kindOf(response.bytes());
  controller.abort();
  expect(await reading).toBe('aborted');
});

test('requests go through the given proxy, except to the hosts that are exempt from it', async () => {
  let tunnels = 0;
  const origin = await serve((_request, response) => response.end('through'));
  const proxyServer = createServer();
  proxyServer.on('connect', (request, socket) => {
    tunnels += 1;
    const [host, port] = (request.url ?? '').split(':');
    const upstream = connect(Number(port), host, () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      upstream.pipe(socket).pipe(upstream);
    });
    upstream.on('error', () => socket.destroy());
    socket.on('error', () => upstream.destroy());
    open.push(async () => upstream.destroy());
  });
  proxyServer.on('request', (_request, response) => {
    tunnels += 1;
    response.end('through');
  });
  const http = await listen(proxyServer);
  const proxied = await outboundTo([origin], { proxy: { http } }).fetch(new URL(origin), { bodyBytesMax });
  expect((await proxied.bytes()).toString()).toBe('through');
  expect(tunnels).toBe(1);
  const exempt = outboundTo([origin], { proxy: { http, noProxy: '127.0.0.1' } });
  await (await exempt.fetch(new URL(origin), { bodyBytesMax })).discard();
  expect(tunnels).toBe(1);
});
