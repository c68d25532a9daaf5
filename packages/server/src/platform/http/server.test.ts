import { once } from 'node:events';
import { connect } from 'node:net';
import { problemSchema } from '@sealsmith/contract';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createHttpServer } from './server.ts';

/** What the server answers to these bytes, until it ends the connection. */
async function answerTo(request: string): Promise<{ status: number; body: unknown }> {
  const app = createHttpServer({ logger: pino({ level: 'silent' }) });
  try {
    const { port } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }));
    const socket = connect({ host: '127.0.0.1', port: Number(port) });
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('error', () => {});
    socket.write(request);
    await once(socket, 'close');
    const text = Buffer.concat(chunks).toString();
    return { status: Number(text.slice(9, 12)), body: JSON.parse(text.slice(text.indexOf('\r\n\r\n'))) };
  } finally {
    await app.close();
  }
}

test('bytes that are no HTTP get a problem too', async () => {
  const { status, body } = await answerTo('hello\r\n\r\n');
  expect(status).toBe(400);
  expect(problemSchema.parse(body)).toMatchObject({ status: 400, code: 'malformed_request' });
});

test('headers over their limit are 431, as a problem', async () => {
  const { status, body } = await answerTo(`GET / HTTP/1.1\r\nhost: x\r\nlong: ${'x'.repeat(17 * 1024)}\r\n\r\n`);
  expect(status).toBe(431);
  expect(problemSchema.parse(body)).toMatchObject({ status: 431, code: 'malformed_request' });
});
