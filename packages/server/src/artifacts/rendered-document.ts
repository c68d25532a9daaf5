import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import { createSingleFlight } from './single-flight.ts';

/** JSON that is ready to be sent. */
export interface RenderedDocument {
  /** Weak: the same for the plain and the compressed bytes. */
  etag: string;
  bytes: Buffer;
  gzipped: Buffer;
}

/** What became of a key. */
export interface MadeDocument {
  /** null: there is none. */
  document: Record<string, unknown> | null;
  /** false when it is made of something else than the key says. */
  isOfKey: boolean;
}

/** Makes a document once and keeps it as long as it is in use. null: there is none. */
export type RenderOnce = (key: string, make: () => Promise<MadeDocument>) => Promise<RenderedDocument | null>;

const entryBytes = 500;
const compress = promisify(gzip);

/** The key says everything that a document is made of, so that what is kept is never outdated. */
export function createRenderCache(bytesMax: number): RenderOnce {
  const kept = new LRUCache<string, { rendered: RenderedDocument | null }>({
    maxSize: bytesMax,
    sizeCalculation: ({ rendered }) => entryBytes + (rendered ? rendered.bytes.length + rendered.gzipped.length : 0),
  });
  const flights = createSingleFlight<RenderedDocument | null>();
  return async (key, make) => {
    const found = kept.get(key);
    if (found) return found.rendered;
    return flights(key, async () => {
      const { document, isOfKey } = await make();
      const rendered = document === null ? null : await renderDocument(document);
      if (isOfKey) kept.set(key, { rendered });
      return rendered;
    });
  };
}

export async function renderDocument(document: Record<string, unknown>): Promise<RenderedDocument> {
  const bytes = Buffer.from(JSON.stringify(document));
  const etag = `W/"${createHash('sha256').update(bytes).digest('hex').slice(0, 32)}"`;
  return { etag, bytes, gzipped: await compress(bytes) };
}
