import type { EcosystemId, Unsupported } from '@sealsmith/ecosystems';
import { protocol as apk } from './apk/index.ts';
import { protocol as deb } from './deb/index.ts';
import { protocol as maven } from './maven/index.ts';
import { protocol as npm } from './npm/index.ts';
import { protocol as pypi } from './pypi/index.ts';
import { protocol as rpm } from './rpm/index.ts';

/** How the artifacts of every ecosystem are served, or the words that say why they are not. */
export const artifactProtocols = { npm, pypi, maven, rpm, deb, apk } as const satisfies Readonly<
  Record<EcosystemId, { supported: true; pathPrefix: string } | Unsupported>
>;
