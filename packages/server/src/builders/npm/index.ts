import type { OutboundFetch } from '../../platform/outbound-fetch.ts';
import type { Builder } from '../builder.ts';
import { buildNpmPackage } from './build-npm-package.ts';
import { fetchNpmOrigin, hasNpmOrigin } from './fetch-origin.ts';

export interface NpmBuilderOptions {
  outbound: OutboundFetch;
  /** The registry that packages come from; its path, if any, is kept. */
  upstreamUrl: URL;
}

export function createNpmBuilder(options: NpmBuilderOptions): Builder {
  return {
    supported: true,
    ecosystem: 'npm',
    fetchOrigin: (name, version) => fetchNpmOrigin(options, { name, version }),
    hasOrigin: (name, version) => hasNpmOrigin(options, { name, version }),
    build: buildNpmPackage,
  };
}
