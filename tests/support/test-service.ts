import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Scope, scopes, type TokenRole } from '@sealsmith/contract';
import { createTenant } from '../../packages/server/src/access/tenant-store.ts';
import { createToken } from '../../packages/server/src/access/token-store.ts';
import { startService } from '../../packages/server/src/compose.ts';
import { readConfig } from '../../packages/server/src/config/config.ts';
import type { Environment } from '../../packages/server/src/config/environment.ts';
import { starterCatalogDir } from '../../packages/server/src/config/starter-catalog-dir.ts';
import type { Database } from '../../packages/server/src/database/database.ts';
import { openDatabase } from '../../packages/server/src/database/open.ts';
import { inTransaction } from '../../packages/server/src/database/transaction.ts';
import { type Clock, systemClock } from '../../packages/server/src/platform/clock.ts';
import { createLogger, type Logger } from '../../packages/server/src/platform/logger.ts';
import { type TenantScope, tenantScope } from '../../packages/server/src/platform/tenancy.ts';
import { type Api, createApi } from './api-client.ts';
import { databaseKinds } from './databases.ts';
import { type NpmUpstream, startNpmUpstream } from './npm-upstream.ts';

export interface TestServiceOptions {
  /** Default: SQLite in the data folder. */
  databaseUrl?: string;
  /** Requests a minute and token; default: unlimited. */
  rateLimit?: number;
  /** Whether the starter catalog is loaded. */
  hasCatalog?: boolean;
  clock?: Clock;
  log?: Logger;
  /** More of the environment. */
  environment?: Environment;
}

/** A tenant of the service with a token that may do everything. */
export interface TestTenant {
  scope: TenantScope;
  name: string;
  token: string;
  api: Api;
}

interface TokenOptions {
  tenant?: TestTenant;
  scopes?: readonly Scope[];
  role?: TokenRole;
  /** ISO time; default: never. */
  expiresOn?: string;
}

/** The whole service, as users run it, over a folder and an upstream of its own. */
export interface TestService extends AsyncDisposable {
  url: string;
  dataDir: string;
  /** Asks as the first tenant. */
  api: Api;
  tenant: TestTenant;
  upstream: NpmUpstream;
  /** A second connection to the service's database. */
  database: Database;
  createTenant(name: string): Promise<TestTenant>;
  createToken(options?: TokenOptions): Promise<{ id: string; token: string }>;
  /** Ends the service only; what it stored stays to be looked at. */
  stop(): Promise<void>;
}

export async function startTestService(options: TestServiceOptions = {}): Promise<TestService> {
  const { clock = systemClock, log = createLogger('silent') } = options;
  await using stack = new AsyncDisposableStack();
  const dataDir = await mkdtemp(path.join(tmpdir(), 'sealsmith-service-'));
  stack.defer(() => rm(dataDir, { recursive: true, force: true }));
  const upstream = stack.use(await startNpmUpstream());
  const config = readConfig(environmentOf(options, { dataDir, upstream }), starterCatalogDir);
  const service = stack.use(await startService({ config, log, clock }));
  if (!service.firstStart) throw new Error('the first start of a database makes a token');
  const { tenantName, token } = service.firstStart;
  const database = stack.use(await openDatabase(config.database));
  const tenantOf = (scope: TenantScope, name: string, ownToken: string): TestTenant => ({
    scope,
    name,
    token: ownToken,
    api: createApi(service.url, ownToken),
  });
  const tenant = tenantOf(tenantScope(1), tenantName, token);
  const addToken = ({ tenant: { scope } = tenant, scopes: granted = scopes, ...rest }: TokenOptions = {}) => {
    const { role = 'production', expiresOn = null } = rest;
    return createToken(database.db, scope, clock, {
      name: 'test',
      role,
      scopes: granted,
      expiresOn,
      createdBy: 'operator',
    });
  };
  const owned = stack.move();
  return {
    url: service.url,
    dataDir,
    api: tenant.api,
    tenant,
    upstream,
    database,
    createTenant: async (name) => {
      const scope = await inTransaction(database, (transaction) => createTenant(transaction, database, clock, name));
      const added = await addToken({ tenant: { ...tenant, scope } });
      return tenantOf(scope, name, added.token);
    },
    createToken: addToken,
    stop: async () => service[Symbol.asyncDispose](),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** How to start a service over each kind of database that it supports. */
export const serviceKinds = databaseKinds.map(({ kind, createConfig }) => ({
  kind,
  start: async (options: TestServiceOptions = {}): Promise<TestService> => {
    const config = await createConfig();
    return startTestService({ ...options, ...(config.kind === 'postgres' && { databaseUrl: config.url }) });
  },
}));

function environmentOf(
  { databaseUrl = '', rateLimit = 0, hasCatalog = false, environment = {} }: TestServiceOptions,
  { dataDir, upstream }: { dataDir: string; upstream: NpmUpstream },
): Environment {
  return {
    SEALSMITH_PORT: '0',
    SEALSMITH_DATA_DIR: dataDir,
    SEALSMITH_DATABASE_URL: databaseUrl,
    SEALSMITH_UPSTREAM_NPM: upstream.url,
    SEALSMITH_RATE_LIMIT: String(rateLimit),
    ...(!hasCatalog && { SEALSMITH_CATALOG_DIR: 'none' }),
    ...environment,
  };
}
