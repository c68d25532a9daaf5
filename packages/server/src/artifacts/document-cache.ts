import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { AppError } from '../platform/app-error.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import type { CacheFolder } from './cache-folder.ts';
import { createSingleFlight } from './single-flight.ts';

/** What upstream says about a document; `etag` is the one of the copy that is held. */
export type FetchDocument = (etag: string | null) => Promise<FetchedDocument>;

export type FetchedDocument =
  | { kind: 'changed'; bytes: Uint8Array; etag: string | null }
  | { kind: 'unchanged' }
  | { kind: 'absent' };

export interface DocumentContent {
  /** SHA-256 of the bytes in hex. */
  digest: string;
  bytes: Uint8Array;
}

export interface CachedDocument {
  digest: string;
  /** Upstream does not answer; this is what it said last. */
  isStale: boolean;
  /** May be newer than `digest` when the copy on disk was lost. null: upstream has it no longer. */
  read(): Promise<DocumentContent | null>;
}

export interface DocumentCache {
  /**
   * The document of that key, asked for again when the copy is older than a minute. null: upstream does not have it.
   * @throws AppError `upstream_unavailable` when upstream does not answer and there is no copy
   */
  find(key: string, fetch: FetchDocument): Promise<CachedDocument | null>;
}

interface Options {
  folder: CacheFolder;
  clock: Clock;
  log: Logger;
}

/** How long an answer is taken as true. */
const freshMs = { present: 60_000, absent: 10_000, stale: 10_000 };
const statesMax = 50_000;

type State =
  | { kind: 'present'; digest: string; isStale: boolean; untilMs: number }
  | { kind: 'absent'; untilMs: number };

interface Held extends DocumentContent {
  etag: string | null;
}

type Loaded = (DocumentContent & { isStale: boolean }) | null;

export function createDocumentCache({ folder, clock, log }: Options): DocumentCache {
  const states = new LRUCache<string, State>({ max: statesMax });
  const flights = createSingleFlight<Loaded>();
  const inMs = (durationMs: number) => clock.now().getTime() + durationMs;

  const settle = (key: string, content: DocumentContent, isStale: boolean): Loaded => {
    const untilMs = inMs(isStale ? freshMs.stale : freshMs.present);
    states.set(key, { kind: 'present', digest: content.digest, isStale, untilMs });
    return { digest: content.digest, bytes: content.bytes, isStale };
  };
  const store = async (key: string, bytes: Uint8Array, etag: string | null): Promise<DocumentContent> => {
    const held = { digest: digestOf(bytes), bytes, etag };
    await folder.write(key, [headerOf(held), bytes]);
    return held;
  };
  const refresh = async (key: string, fetch: FetchDocument): Promise<Loaded> => {
    const held = await readHeld(folder, key, log);
    const answer = await ask(fetch, held, log);
    if (answer === null) return held && settle(key, held, true);
    if (answer.kind === 'changed') return settle(key, await store(key, answer.bytes, answer.etag), false);
    if (answer.kind === 'unchanged') {
      if (held === null) throw new Error('a document that is not held cannot be unchanged');
      return settle(key, held, false);
    }
    states.set(key, { kind: 'absent', untilMs: inMs(freshMs.absent) });
    await folder.remove(key);
    return null;
  };
  const load = (key: string, fetch: FetchDocument) => flights(key, () => refresh(key, fetch));
  const reread = async (key: string, fetch: FetchDocument) => {
    const held = await readHeld(folder, key, log);
    return held ?? load(key, fetch);
  };
  return {
    find: async (key, fetch) => {
      const state = states.get(key);
      if (state && clock.now().getTime() < state.untilMs) {
        if (state.kind === 'absent') return null;
        return { digest: state.digest, isStale: state.isStale, read: () => reread(key, fetch) };
      }
      const loaded = await load(key, fetch);
      return loaded && { digest: loaded.digest, isStale: loaded.isStale, read: async () => loaded };
    },
  };
}

/** null: upstream gave no usable answer, and the copy that is held has to do. */
async function ask(fetch: FetchDocument, held: Held | null, log: Logger): Promise<FetchedDocument | null> {
  try {
    return await fetch(held?.etag ?? null);
  } catch (error) {
    const isOutage = error instanceof AppError && error.code === 'upstream_unavailable';
    if (!isOutage || held === null) throw error;
    log.warn({ err: error }, 'upstream does not answer; its last answer is served');
    return null;
  }
}

/** A cached document is one line about it, then its bytes. */
function headerOf({ digest, etag }: Held): Buffer {
  return Buffer.from(`${JSON.stringify({ digest, etag })}\n`);
}

async function readHeld(folder: CacheFolder, key: string, log: Logger): Promise<Held | null> {
  const handle = await folder.open(key);
  if (handle === null) return null;
  const file = await handle.readFile().finally(() => handle.close());
  const held = parseHeld(file);
  if (held !== null) return held;
  log.warn({ key }, 'a cached document is damaged; it is fetched again');
  await folder.remove(key);
  return null;
}

function parseHeld(file: Buffer): Held | null {
  const lineEnd = file.indexOf('\n');
  const bytes = file.subarray(lineEnd + 1);
  const header = parseHeader(file.subarray(0, Math.max(0, lineEnd)).toString('utf8'));
  return header?.digest === digestOf(bytes) ? { ...header, bytes } : null;
}

function parseHeader(line: string): { digest: string; etag: string | null } | null {
  try {
    const { digest, etag } = JSON.parse(line);
    return { digest: String(digest), etag: typeof etag === 'string' ? etag : null };
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return null;
    throw error;
  }
}

function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
