import { LRUCache } from 'lru-cache';
import { AppError } from '../../platform/app-error.ts';
import { OutboundError } from '../../platform/outbound-error.ts';
import type { OutboundFetch, OutboundResponse } from '../../platform/outbound-fetch.ts';
import type { CachedDocument, FetchedDocument } from '../document-cache.ts';
import { DigestMismatchError, digestKey, publishedDigestOf } from '../published-digest.ts';
import type { ServableArtifact } from '../send-artifact.ts';
import { createSingleFlight } from '../single-flight.ts';
import type { UpstreamCache } from '../upstream-cache.ts';
import { MalformedPackumentError, type Manifest, manifestsOf, parsePackument } from './packument.ts';
import { mediaTypeOf, type PackumentForm } from './packument-form.ts';

/** The registry that packages come from, through the cache. Its failures are `upstream_unavailable`. */
export interface NpmUpstream {
  /** null: the registry does not have the package. */
  packument(name: string, form: PackumentForm): Promise<CachedDocument | null>;
  /** The tarball that the registry's packument names for the version; null when it names none. */
  tarball(wanted: WantedTarball): Promise<ServableArtifact | null>;
}

export interface WantedTarball {
  name: string;
  version: string;
  /** Under which it is served. */
  fileName: string;
}

export interface NpmUpstreamOptions {
  /** Its path, if any, is kept. */
  url: URL;
  outbound: OutboundFetch;
  cache: UpstreamCache;
}

type Dist = Manifest['dist'];

const packumentBytesMax = 100 * 1024 * 1024;
const tarballBytesMax = 512 * 1024 * 1024;
const indexedVersionsMax = 500_000;
const acceptOf = {
  full: mediaTypeOf.full,
  abbreviated: `${mediaTypeOf.abbreviated}; q=1.0, ${mediaTypeOf.full}; q=0.8`,
} as const satisfies Record<PackumentForm, string>;

export function createNpmUpstream({ url, outbound, cache }: NpmUpstreamOptions): NpmUpstream {
  const packument = (name: string, form: PackumentForm) =>
    cache.documents.find(`${form} packument ${name}`, (etag) =>
      answeredBy(name, () => fetchPackument({ url, outbound }, { name, form, etag })),
    );
  const distsOf = createDistIndex();
  return {
    packument,
    tarball: async (wanted) => {
      const dist = await findDist(wanted, packument, distsOf);
      return dist && tarballOf({ outbound, cache }, wanted, dist);
    },
  };
}

interface PackumentRequest {
  name: string;
  form: PackumentForm;
  etag: string | null;
}

async function fetchPackument(
  { url, outbound }: Pick<NpmUpstreamOptions, 'url' | 'outbound'>,
  { name, form, etag }: PackumentRequest,
): Promise<FetchedDocument> {
  const response = await outbound.fetch(packumentUrl(url, name), {
    headers: { accept: acceptOf[form], ...(etag !== null && { 'if-none-match': etag }) },
    bodyBytesMax: packumentBytesMax,
  });
  if (response.status === 200) {
    const bytes = await response.bytes();
    // A document is read before it is kept: what cannot be served must not take the place of one that can.
    parsePackument(bytes, name);
    return { kind: 'changed', bytes, etag: response.headers.get('etag') };
  }
  await response.discard();
  if (response.status === 304 && etag !== null) return { kind: 'unchanged' };
  if (isAbsent(response.status)) return { kind: 'absent' };
  throw unavailable(name, `answered with status ${response.status}`);
}

/** `@scope/name` is one segment of the path. */
function packumentUrl(base: URL, name: string): URL {
  const url = new URL(base);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/${name.replace('/', '%2f')}`;
  return url;
}

/** `451` is a package taken down by law. */
function isAbsent(status: number): boolean {
  return status === 404 || status === 410 || status === 451;
}

type DistsOf = (name: string, document: CachedDocument) => Promise<ReadonlyMap<string, Dist>>;

/** Remembers which tarball a document names for which version, so that it is not read for every tarball. */
function createDistIndex(): DistsOf {
  const indexes = new LRUCache<string, Map<string, Dist>>({
    maxSize: indexedVersionsMax,
    sizeCalculation: (dists) => dists.size + 1,
  });
  const flights = createSingleFlight<Map<string, Dist>>();
  const read = async (name: string, document: CachedDocument) => {
    const content = await document.read();
    if (content === null) return new Map<string, Dist>();
    const manifests = manifestsOf(parsePackument(content.bytes, name));
    const dists = new Map([...manifests].map(([version, { dist }]) => [version, distFields(dist)]));
    indexes.set(indexKey(name, content.digest), dists);
    return dists;
  };
  return async (name, document) => {
    const key = indexKey(name, document.digest);
    return indexes.get(key) ?? flights(key, () => read(name, document));
  };
}

function indexKey(name: string, digest: string): string {
  return `${name} ${digest}`;
}

function distFields({ tarball, integrity, shasum }: Dist): Dist {
  return { tarball, integrity, shasum };
}

/** A client may know the version from the other form, which can be the younger one. */
async function findDist(
  { name, version }: WantedTarball,
  packument: NpmUpstream['packument'],
  distsOf: DistsOf,
): Promise<Dist | null> {
  for (const form of ['abbreviated', 'full'] as const) {
    const document = await packument(name, form);
    const dist = document && (await distsOf(name, document)).get(version);
    if (dist) return dist;
  }
  return null;
}

function tarballOf(
  { outbound, cache }: Pick<NpmUpstreamOptions, 'outbound' | 'cache'>,
  { name, version, fileName }: WantedTarball,
  dist: Dist,
): ServableArtifact {
  const subject = `${name} ${version}`;
  const digest = publishedDigestOf(dist);
  if (digest === null) throw unavailable(subject, 'publishes no digest to check it by');
  const url = URL.parse(dist.tarball);
  if (url === null) throw unavailable(subject, 'names no address of its tarball');
  const fetch = async () => {
    const response = await outbound.fetch(url, { bodyBytesMax: tarballBytesMax });
    return (await assertTarball(response, subject)).body;
  };
  const open = () => answeredBy(subject, () => cache.artifacts.open(digest, fetch));
  return { fileName, etag: `"${digestKey(digest)}"`, open };
}

async function assertTarball(response: OutboundResponse, subject: string): Promise<OutboundResponse> {
  if (response.status === 200) return response;
  await response.discard();
  throw unavailable(subject, `answered with status ${response.status}`);
}

/** Names every way in which upstream fails to give what it says it has. */
async function answeredBy<Answer>(subject: string, ask: () => Promise<Answer>): Promise<Answer> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof OutboundError) throw unavailable(subject, problems[error.kind], error);
    if (error instanceof MalformedPackumentError) throw unavailable(subject, `sent an answer: ${error.message}`, error);
    if (error instanceof DigestMismatchError) {
      throw unavailable(subject, 'sent bytes that do not have the digest that it publishes', error);
    }
    throw error;
  }
}

const problems = {
  forbidden_target: 'names an address that is not a configured upstream',
  too_many_redirects: 'redirects in circles',
  too_large: 'sent more bytes than are accepted',
  timed_out: 'did not answer in time',
  aborted: 'was not waited for',
  unreachable: 'cannot be reached',
  interrupted: 'broke its answer off',
} as const satisfies Record<OutboundError['kind'], string>;

function unavailable(subject: string, problem: string, cause?: unknown): AppError {
  const detail = `The upstream registry was asked for ${subject} and ${problem}.`;
  return new AppError('upstream_unavailable', detail, { cause });
}
