import type { FastifyInstance } from 'fastify';
import { collectDefaultMetrics, Histogram, Registry } from 'prom-client';

const durationBucketsSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

export interface Metrics {
  contentType: string;
  /** The Prometheus text format. */
  render(): Promise<string>;
  /** Measures every request of the server. */
  observe(app: FastifyInstance): void;
}

/** Metrics of one instance; tests make several in a process. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: 'sealsmith_' });
  return {
    contentType: registry.contentType,
    render: () => registry.metrics(),
    observe: (app) => observeRequests(app, registry),
  };
}

function observeRequests(app: FastifyInstance, registry: Registry): void {
  const duration = new Histogram({
    name: 'sealsmith_http_request_duration_seconds',
    help: 'Time from the first byte of a request to the last of its response.',
    labelNames: ['operation', 'status'],
    buckets: durationBucketsSeconds,
    registers: [registry],
  });
  app.addHook('onResponse', (request, reply, done) => {
    const operation = request.routeOptions.config.operation ?? request.routeOptions.url ?? 'unknown';
    duration.observe({ operation, status: String(reply.statusCode) }, reply.elapsedTime / 1000);
    request.log.info(
      {
        method: request.method,
        operation,
        status: reply.statusCode,
        durationMs: Math.round(reply.elapsedTime * 10) / 10,
      },
      'request',
    );
    done();
  });
}
