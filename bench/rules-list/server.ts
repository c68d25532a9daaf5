// The service in a process of its own, with one route more: a fixed body of the size given, which is the ceiling.
import { startService } from '../../packages/server/src/compose.ts';
import { readConfig } from '../../packages/server/src/config/config.ts';
import { createLogger } from '../../packages/server/src/platform/logger.ts';

const [bytes = '23000'] = process.argv.slice(2);
const body = JSON.stringify({ items: 'x'.repeat(Number(bytes) - '{"items":""}'.length) });
const config = readConfig(process.env, '');
const service = await startService({
  config,
  log: createLogger('warn'),
  extend: (http) => {
    http.get('/static', (_request, reply) => reply.type('application/json; charset=utf-8').send(body));
  },
});
process.stdout.write(`${service.url}\n`);
process.on('SIGTERM', () => void service[Symbol.asyncDispose]());
