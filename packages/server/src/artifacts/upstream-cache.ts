import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import { type ArtifactCache, createArtifactCache } from './artifact-cache.ts';
import { openCacheFolder } from './cache-folder.ts';
import { createDocumentCache, type DocumentCache } from './document-cache.ts';

/** What upstream was seen to have: documents, which change, and artifacts, which do not. Shared by all tenants. */
export interface UpstreamCache {
  documents: DocumentCache;
  artifacts: ArtifactCache;
}

export interface UpstreamCacheOptions {
  /** One of its own for each upstream. */
  dir: string;
  bytesMax: number;
  clock: Clock;
  log: Logger;
}

export async function openUpstreamCache({ dir, bytesMax, clock, log }: UpstreamCacheOptions): Promise<UpstreamCache> {
  const folder = await openCacheFolder({ dir, bytesMax, clock });
  return {
    documents: createDocumentCache({ folder, clock, log }),
    artifacts: createArtifactCache({ folder, log }),
  };
}
