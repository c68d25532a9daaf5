import path from 'node:path';
import helmet from '@fastify/helmet';
import { openApiDocument } from '@sealsmith/contract';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import server from '../package.json' with { type: 'json' };
import { type Authenticator, createAuthenticator } from './access/authenticate.ts';
import { type FirstStartSecrets, makeFirstStart } from './access/first-start.ts';
import { protocol as npmProtocol } from './artifacts/npm/index.ts';
import { createPullRecorder, type PullRecorder } from './artifacts/pull-recorder.ts';
import { composeApi } from './compose-api.ts';
import { composeCatalog, loadStarterCatalog } from './compose-catalog.ts';
import { composeUpstreams, type Upstreams } from './compose-upstream.ts';
import { composeWorker } from './compose-worker.ts';
import type { Config } from './config/config.ts';
import type { Database } from './database/database.ts';
import { openDatabase } from './database/open.ts';
import type { BuildLoop } from './fixes/build-loop.ts';
import type { BlobStore } from './platform/blobs/blob-store.ts';
import { createDiskBlobStore, removeAbandonedBlobs } from './platform/blobs/disk.ts';
import { type Clock, systemClock } from './platform/clock.ts';
import { createHttpServer } from './platform/http/server.ts';
import type { Logger } from './platform/logger.ts';
import { createMetrics } from './platform/metrics.ts';
import { registerOperations } from './roles/operations.ts';

/** A running service. Disposing of it finishes what is under way: requests, a build, buffered writes. */
export interface Service extends AsyncDisposable {
  /** Address that it listens on, `http://127.0.0.1:8080`. */
  url: string;
  http: FastifyInstance;
  /** What the first start made; null at every later one. */
  firstStart: FirstStartSecrets | null;
}

interface Options {
  config: Config;
  log: Logger;
  clock?: Clock;
  proxy?: { http?: string | undefined; https?: string | undefined; noProxy?: string | undefined };
  /** Adds routes of the caller before the service listens; benchmarks compare ours with theirs. */
  extend?: (http: FastifyInstance) => void;
}

/** What the roles share. */
export interface Foundation {
  config: Config;
  database: Database;
  blobs: BlobStore;
  clock: Clock;
  log: Logger;
  authenticator: Authenticator;
  upstreams: Upstreams;
  publicUrlOf(request: FastifyRequest): string;
}

/** Builds the service from its configuration and starts it. */
export async function startService({
  config,
  log,
  clock = systemClock,
  proxy = {},
  extend,
}: Options): Promise<Service> {
  const stack = new AsyncDisposableStack();
  try {
    for (const name of config.unknownVariables) log.warn({ name }, 'this variable means nothing to Sealsmith');
    const database = stack.use(
      await openDatabase(config.database, (err) => log.warn({ err }, 'a database connection broke')),
    );
    const catalog = composeCatalog(database, clock);
    const blobsDir = path.join(config.dataDir, 'blobs');
    await removeAbandonedBlobs(blobsDir, clock);
    const onError = (err: unknown) => log.error({ err }, 'a buffered write failed');
    const foundation: Foundation = {
      config,
      database,
      blobs: createDiskBlobStore(blobsDir),
      clock,
      log,
      authenticator: stack.use(createAuthenticator({ db: database.db, clock, onError })),
      upstreams: stack.use(await composeUpstreams({ config, proxy, clock, log })),
      publicUrlOf: (request) => config.publicUrl ?? addressOf(request),
    };
    const pulls = stack.use(createPullRecorder({ database, clock, onError }));
    const worker = config.roles.has('worker') ? stack.use(composeWorker(foundation, catalog.refreshStates)) : null;
    const http = await createHttp(foundation, {
      pulls,
      worker,
      refreshStates: catalog.refreshStates,
      isReady: () => isReady,
    });
    let isReady = false;
    stack.defer(async () => {
      isReady = false;
      await http.close();
    });
    extend?.(http);
    const url = await listen(http, config.listen);
    await loadStarterCatalog(catalog, config.catalogDir, log);
    // Last: secrets that were made by a start that then fails would never be shown.
    const firstStart = await makeFirstStart(database, clock);
    isReady = true;
    const owned = stack.move();
    return { url, http, firstStart, [Symbol.asyncDispose]: () => owned.disposeAsync() };
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}

async function listen(http: FastifyInstance, { host, port }: Config['listen']): Promise<string> {
  try {
    return await http.listen({ host, port });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`${reason}. SEALSMITH_HOST and SEALSMITH_PORT choose another address.`, { cause: error });
  }
}

interface HttpParts {
  pulls: PullRecorder;
  worker: BuildLoop | null;
  refreshStates: ReturnType<typeof composeCatalog>['refreshStates'];
  isReady(): boolean;
}

async function createHttp(foundation: Foundation, { pulls, worker, refreshStates, isReady }: HttpParts) {
  const { config, database, log, authenticator, blobs, upstreams, publicUrlOf } = foundation;
  const http = createHttpServer({ logger: log });
  const metrics = createMetrics();
  metrics.observe(http);
  await http.register(helmet, {
    contentSecurityPolicy: { directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] }, useDefaults: false },
  });
  registerOperations(http, { db: database.db, metrics, openApi: openApiDocument(server.version), isReady });
  if (config.roles.has('api'))
    await composeApi(http, foundation, { refreshStates, notifyWorker: () => worker?.notify() });
  if (config.roles.has('artifacts')) {
    const deps = { db: database.db, authenticator, blobs, upstream: upstreams.npm, pulls, log, publicUrlOf };
    await http.register(npmProtocol.plugin({ ...deps, isOwnName: async () => upstreams.npm === null }), {
      prefix: npmProtocol.pathPrefix,
    });
  }
  return http;
}

/** As the client named us; a Host that cannot be one is replaced by the address that the request came in on. */
function addressOf(request: FastifyRequest): string {
  const isHost = /^[A-Za-z0-9.-]+(:\d{1,5})?$|^\[[0-9a-fA-F:]+\](:\d{1,5})?$/.test(request.host);
  const { localAddress = '127.0.0.1', localPort } = request.socket;
  return `${request.protocol}://${isHost ? request.host : `${localAddress}:${localPort}`}`;
}
