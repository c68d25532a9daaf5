import { parseSealedVersion } from '@sealsmith/ecosystems';
import type { Db } from '../../database/database.ts';
import type { Logger } from '../../platform/logger.ts';
import type { TenantScope } from '../../platform/tenancy.ts';
import type { CachedDocument } from '../document-cache.ts';
import type { IsOwnName } from '../own-name.ts';
import { createRenderCache, type RenderedDocument, renderDocument } from '../rendered-document.ts';
import { listSealedWithContent } from '../sealed-package-store.ts';
import { prepareSealedRevision } from '../sealed-revision-store.ts';
import { parsePackument } from './packument.ts';
import type { PackumentForm } from './packument-form.ts';
import { type ServedDocument, sealedManifest, servedPackument } from './served-packument.ts';
import type { NpmUpstream } from './upstream.ts';

export interface PackumentAnswer {
  document: RenderedDocument;
  /** Upstream does not answer; this is made of what it said last. */
  isStale: boolean;
}

/** Package documents as a tenant sees them. null: there is no such package, or no such version or tag of it. */
export interface Packuments {
  packument(scope: TenantScope, wanted: WantedPackument): Promise<PackumentAnswer | null>;
  manifest(scope: TenantScope, wanted: WantedManifest): Promise<PackumentAnswer | null>;
}

export interface WantedPackument {
  name: string;
  form: PackumentForm;
  /** Where this registry is, without a trailing slash. */
  registryUrl: string;
}

export interface WantedManifest {
  name: string;
  versionOrTag: string;
  registryUrl: string;
}

interface Options {
  db: Db;
  /** null: only sealed versions are served. */
  upstream: NpmUpstream | null;
  isOwnName: IsOwnName;
  log: Logger;
}

/** What a packument is made of, before any of it is read. */
interface Sources {
  upstream: CachedDocument | null;
  sealedRevision: string | null;
}

type Pick = (whole: ServedDocument) => Record<string, unknown> | null;

const renderedBytesMax = 64 * 1024 * 1024;

export function createPackuments({ db, upstream, isOwnName, log }: Options): Packuments {
  const findSealedRevision = prepareSealedRevision(db);
  const renderOnce = createRenderCache(renderedBytesMax);

  const sourcesOf = async (scope: TenantScope, { name, form }: WantedPackument): Promise<Sources> => {
    const sealedRevision = await findSealedRevision(scope, { ecosystem: 'npm', packageName: name });
    const isAsked = upstream !== null && !(await isOwnName(db, scope, 'npm', name));
    return { sealedRevision, upstream: isAsked ? await upstream.packument(name, form) : null };
  };
  const listSealed = (scope: TenantScope, name: string) =>
    listSealedWithContent(db, scope, { ecosystem: 'npm', packageName: name });
  /** `pick` takes what is wanted out of the document. */
  const make = async (scope: TenantScope, wanted: WantedPackument, sources: Sources, pick: Pick = (whole) => whole) => {
    const sealed = sources.sealedRevision === null ? [] : await listSealed(scope, wanted.name);
    const content = (await sources.upstream?.read()) ?? null;
    const isOfKey = content?.digest === sources.upstream?.digest;
    if (content === null && sealed.length === 0) return { document: null, isOfKey };
    const upstreamDocument = content && parsePackument(content.bytes, wanted.name);
    const { document, displaced } = servedPackument({ ...wanted, upstream: upstreamDocument, sealed });
    for (const version of displaced) {
      log.warn(
        { package: wanted.name, version },
        'upstream has a version that is spelt like a sealed one; ours is served',
      );
    }
    return { document: pick(document), isOfKey };
  };
  return {
    packument: async (scope, wanted) => {
      const sources = await sourcesOf(scope, wanted);
      const document = await renderOnce(keyOf(wanted, sources), () => make(scope, wanted, sources));
      return document && { document, isStale: sources.upstream?.isStale ?? false };
    },
    manifest: async (scope, { name, versionOrTag, registryUrl }) => {
      if (parseSealedVersion('npm', versionOrTag) !== null) {
        const sealed = (await listSealed(scope, name)).find(({ sealedVersion }) => sealedVersion === versionOrTag);
        // Without upstream: what is ours can be had while upstream is away.
        if (sealed) return { document: await renderDocument(sealedManifest(sealed, registryUrl)), isStale: false };
      }
      const wanted = { name, form: 'full', registryUrl } as const;
      const sources = await sourcesOf(scope, wanted);
      const document = await renderOnce(`${keyOf(wanted, sources)}\n${versionOrTag}`, () =>
        make(scope, wanted, sources, (whole) => pickManifest(whole, versionOrTag)),
      );
      return document && { document, isStale: sources.upstream?.isStale ?? false };
    },
  };
}

function keyOf({ name, form, registryUrl }: WantedPackument, { upstream, sealedRevision }: Sources): string {
  return [form, name, registryUrl, upstream?.digest ?? '', sealedRevision ?? ''].join('\n');
}

function pickManifest(packument: ServedDocument, versionOrTag: string): Record<string, unknown> | null {
  const tags = new Map(Object.entries(packument['dist-tags']));
  const versions = new Map(Object.entries(packument.versions));
  return versions.get(tags.get(versionOrTag) ?? versionOrTag) ?? null;
}
