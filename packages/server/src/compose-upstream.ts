import path from 'node:path';
import { createNpmUpstream, type NpmUpstream } from './artifacts/npm/upstream.ts';
import { openUpstreamCache } from './artifacts/upstream-cache.ts';
import { type Builders, createBuilders } from './builders/registry.ts';
import type { Config, UpstreamConfig } from './config/config.ts';
import { npmRegistryOfMachine } from './config/npm-registry-of-machine.ts';
import type { Clock } from './platform/clock.ts';
import type { Logger } from './platform/logger.ts';
import { createOutboundFetch } from './platform/outbound-fetch.ts';

const timeoutMs = { connect: 10_000, headers: 30_000, bodyIdle: 30_000, total: 300_000 };

export interface Upstreams extends AsyncDisposable {
  npm: NpmUpstream | null;
  builders: Builders;
}

interface Options {
  config: Config;
  proxy: { http?: string | undefined; https?: string | undefined; noProxy?: string | undefined };
  clock: Clock;
  log: Logger;
}

/** The registries behind the service, and what fetches from them. */
export async function composeUpstreams({ config, proxy, clock, log }: Options): Promise<Upstreams> {
  const { token, tarballOrigins, source } = config.upstreams.npm;
  const url = await upstreamUrl(source);
  if (url === null) {
    log.warn(
      { from: source.kind },
      'there is no npm upstream: only sealed versions are served, and none can be built; SEALSMITH_UPSTREAM_NPM names one',
    );
    return { npm: null, builders: createBuilders({ npm: null }), [Symbol.asyncDispose]: async () => {} };
  }
  log.info({ host: url.host }, 'the npm upstream');
  const outbound = createOutboundFetch({
    allowedOrigins: [url.origin, ...tarballOrigins],
    userAgent: 'sealsmith',
    timeoutMs,
    proxy,
    authorizationFor: (origin) => (token !== null && origin === url.origin ? `Bearer ${token}` : undefined),
  });
  const cache = await openUpstreamCache({
    dir: path.join(config.dataDir, 'cache', 'npm'),
    bytesMax: config.cacheBytesMax,
    clock,
    log,
  });
  return {
    npm: createNpmUpstream({ url, outbound, cache }),
    builders: createBuilders({ npm: { outbound, upstreamUrl: url } }),
    [Symbol.asyncDispose]: () => outbound[Symbol.asyncDispose](),
  };
}

async function upstreamUrl(source: UpstreamConfig['source']): Promise<URL | null> {
  if (source.kind === 'url') return source.url;
  return source.kind === 'none' ? null : npmRegistryOfMachine();
}
