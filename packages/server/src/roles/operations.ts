import type { FastifyInstance } from 'fastify';
import { sql } from 'kysely';
import type { Db } from '../database/database.ts';
import type { Metrics } from '../platform/metrics.ts';

interface OperationsDeps {
  db: Db;
  metrics: Metrics;
  openApi: Record<string, unknown>;
  /** Whether the start is complete and no stop has begun. */
  isReady(): boolean;
}

/** What those who run the service ask: is it alive, does it work, how much. Nothing here concerns one tenant. */
export function registerOperations(app: FastifyInstance, { db, metrics, openApi, isReady }: OperationsDeps): void {
  const openApiText = JSON.stringify(openApi);
  app.get('/healthz', async () => ({ status: 'alive' }));
  app.get('/readyz', async (request, reply) => {
    if (
      isReady() &&
      (await canQuery(db, (error) => request.log.error({ err: error }, 'the database does not answer')))
    ) {
      return { status: 'ready' };
    }
    return reply.code(503).send({ status: 'not ready' });
  });
  app.get('/metrics', async (_request, reply) => reply.type(metrics.contentType).send(await metrics.render()));
  app.get('/openapi.json', async (_request, reply) => reply.type('application/json').send(openApiText));
}

async function canQuery(db: Db, onError: (error: unknown) => void): Promise<boolean> {
  try {
    await sql`select 1`.execute(db);
    return true;
  } catch (error) {
    onError(error);
    return false;
  }
}
