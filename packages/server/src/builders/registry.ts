import type { EcosystemId, Unsupported } from '@sealsmith/ecosystems';
import { builder as apk } from './apk/index.ts';
import type { Builder } from './builder.ts';
import { builder as deb } from './deb/index.ts';
import { builder as maven } from './maven/index.ts';
import { createNpmBuilder, type NpmBuilderOptions } from './npm/index.ts';
import { builder as pypi } from './pypi/index.ts';
import { builder as rpm } from './rpm/index.ts';

export type Builders = Readonly<Record<EcosystemId, Builder | Unsupported>>;

export interface BuildersOptions {
  /** null: no upstream to take origins from. */
  npm: NpmBuilderOptions | null;
}

const withoutUpstream: Unsupported = {
  supported: false,
  reason: 'This installation has no npm upstream, so there is no origin to build a sealed version from.',
};

/** The builder of every ecosystem, or the words that say why there is none. */
export function createBuilders(options: BuildersOptions): Builders {
  return { npm: options.npm ? createNpmBuilder(options.npm) : withoutUpstream, pypi, maven, rpm, deb, apk };
}
