import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Scope } from '@sealsmith/contract';
import { sealedVersionOf } from '@sealsmith/ecosystems';
import { pino } from 'pino';
import { createAuthenticator } from '../../access/authenticate.ts';
import { createTenant } from '../../access/tenant-store.ts';
import { createToken } from '../../access/token-store.ts';
import type { Database } from '../../database/database.ts';
import { openDatabase } from '../../database/open.ts';
import type { BlobStore } from '../../platform/blobs/blob-store.ts';
import { createDiskBlobStore } from '../../platform/blobs/disk.ts';
import { createHttpServer } from '../../platform/http/server.ts';
import type { Logger } from '../../platform/logger.ts';
import { createOutboundFetch } from '../../platform/outbound-fetch.ts';
import type { TenantScope } from '../../platform/tenancy.ts';
import { npmArtifacts } from '../npm/routes.ts';
import { createNpmUpstream } from '../npm/upstream.ts';
import type { IsOwnName } from '../own-name.ts';
import { createPullRecorder } from '../pull-recorder.ts';
import { publishSealedPackage } from '../sealed-package-store.ts';
import { openUpstreamCache } from '../upstream-cache.ts';
import { digestsOf } from './fake-registry.ts';

export interface TestArtifacts extends AsyncDisposable {
  /** Of the registry, without a trailing slash. */
  url: string;
  token: string;
  scope: TenantScope;
  database: Database;
  cacheDir: string;
  blobs: BlobStore;
  /** Messages that were logged as warnings or worse. */
  warnings: string[];
  /** Lets time pass. */
  advance(ms: number): void;
  get(path: string, options?: GetOptions): Promise<Response>;
  /** Publishes a sealed version with these bytes. */
  seal(sealed: Seal): Promise<{ version: string; integrity: string }>;
  createTenantToken(tenant: string, scopes?: Scope[]): Promise<{ token: string; scope: TenantScope }>;
  flushPulls(): Promise<void>;
}

interface GetOptions {
  method?: string;
  token?: string;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

interface Seal {
  scope?: TenantScope;
  name: string;
  originVersion: string;
  iteration: number;
  bytes: Buffer;
  manifest?: Record<string, unknown>;
  publishedOn?: string;
}

interface Options {
  upstreamUrl: URL | null;
  cacheBytesMax?: number;
  isOwnName?: IsOwnName;
  /** Kept when the server ends. */
  dataDir?: string;
}

/** The npm artifact server over HTTP, with SQLite in memory, blobs and cache on disk and a clock of its own. */
export async function startNpmArtifacts(options: Options): Promise<TestArtifacts> {
  const stack = new AsyncDisposableStack();
  const dataDir = options.dataDir ?? (await mkdtemp(path.join(tmpdir(), 'sealsmith-artifacts-')));
  if (!options.dataDir) stack.defer(() => rm(dataDir, { recursive: true, force: true }));
  let offsetMs = 0;
  const clock = { now: () => new Date(Date.now() + offsetMs) };
  const warnings: string[] = [];
  const log = collectingLogger(warnings);
  const database = stack.use(await openDatabase({ kind: 'sqlite', file: ':memory:' }));
  const onError = (error: unknown) => void warnings.push(String(error));
  const authenticator = stack.use(createAuthenticator({ db: database.db, clock, onError }));
  const pulls = stack.use(createPullRecorder({ database, clock, onError }));
  const blobs = createDiskBlobStore(path.join(dataDir, 'blobs'));
  const cacheDir = path.join(dataDir, 'cache', 'npm');
  const cache = await openUpstreamCache({ dir: cacheDir, bytesMax: options.cacheBytesMax ?? 1e9, clock, log });
  const outbound = stack.use(testOutbound(options.upstreamUrl));
  const upstream = options.upstreamUrl && createNpmUpstream({ url: options.upstreamUrl, outbound, cache });
  const app = createHttpServer({ logger: log });
  const isOwnName = options.isOwnName ?? (async () => false);
  const publicUrlOf = () => origin;
  const deps = { db: database.db, authenticator, blobs, upstream, pulls, isOwnName, log, publicUrlOf };
  await app.register(npmArtifacts(deps), { prefix: '/artifacts/npm' });
  const origin = await app.listen({ host: '127.0.0.1', port: 0 });
  stack.defer(async () => {
    // A client that has not read its answer to the end would be waited for.
    app.server.closeAllConnections();
    await app.close();
  });

  const createTenantToken = async (name: string, scopes: Scope[] = ['artifacts']) => {
    const scope = await createTenant(database.db, database, clock, name);
    const wanted = { name: 'ci', role: 'production', scopes, expiresOn: null, createdBy: 'test' } as const;
    return { scope, token: (await createToken(database.db, scope, clock, wanted)).token };
  };
  const { token, scope } = await createTenantToken('acme');
  const url = `${origin}/artifacts/npm`;
  return {
    url,
    token,
    scope,
    database,
    cacheDir,
    blobs,
    warnings,
    advance: (ms) => {
      offsetMs += ms;
    },
    get: (requestPath, { method = 'GET', token: other = token, headers = {}, signal } = {}) =>
      fetch(`${url}/${requestPath}`, {
        method,
        headers: { authorization: `Bearer ${other}`, ...headers },
        ...(signal && { signal }),
      }),
    seal: (sealed) => publish({ database, blobs, scope: sealed.scope ?? scope }, sealed),
    createTenantToken,
    flushPulls: async () => {
      await pulls[Symbol.asyncDispose]();
    },
    [Symbol.asyncDispose]: async () => {
      await stack.disposeAsync();
    },
  };
}

function collectingLogger(warnings: string[]): Logger {
  return pino({ level: 'warn' }, { write: (line: string) => void warnings.push(line) });
}

function testOutbound(upstreamUrl: URL | null) {
  return createOutboundFetch({
    allowedOrigins: upstreamUrl ? [upstreamUrl.origin] : [],
    userAgent: 'sealsmith-test',
    timeoutMs: { connect: 2_000, headers: 5_000, bodyIdle: 5_000, total: 20_000 },
    sleep: async () => {},
  });
}

async function publish(
  { database, blobs, scope }: { database: Database; blobs: BlobStore; scope: TenantScope },
  { name, originVersion, iteration, bytes, manifest = {}, publishedOn = '2026-11-21T10:00:00.000Z' }: Seal,
) {
  const version = sealedVersionOf('npm', originVersion, iteration);
  const { integrity, shasum } = digestsOf(bytes);
  await blobs.put(bytes);
  await publishSealedPackage(database.db, scope, {
    ecosystem: 'npm',
    packageName: name,
    originVersion,
    iteration,
    sealedVersion: version,
    fixId: `fix-${version}`,
    fileName: `${name.split('/').at(-1)}-${version}.tgz`,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    shasum,
    integrity,
    sizeBytes: bytes.length,
    closedIdentifiers: ['CVE-2026-0001'],
    publishedOn,
    manifest: { ...manifest, name, version, dist: { integrity, shasum } },
    patches: [],
  });
  return { version, integrity };
}
