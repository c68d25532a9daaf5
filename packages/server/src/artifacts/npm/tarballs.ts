import { parseSealedVersion } from '@sealsmith/ecosystems';
import type { Db } from '../../database/database.ts';
import type { BlobStore } from '../../platform/blobs/blob-store.ts';
import type { TenantScope } from '../../platform/tenancy.ts';
import type { IsOwnName } from '../own-name.ts';
import type { SealedPackage } from '../sealed-package.ts';
import { findSealedFile } from '../sealed-package-store.ts';
import { type ServableArtifact, wholeReadBytesMax } from '../send-artifact.ts';
import type { NpmUpstream, WantedTarball } from './upstream.ts';

/** Tarballs as a tenant sees them; null when there is none of that name. */
export type FindTarball = (scope: TenantScope, wanted: WantedTarball) => Promise<ServableArtifact | null>;

interface Options {
  db: Db;
  blobs: BlobStore;
  /** null: only sealed versions are served. */
  upstream: NpmUpstream | null;
  isOwnName: IsOwnName;
}

export function createTarballs({ db, blobs, upstream, isOwnName }: Options): FindTarball {
  return async (scope, wanted) => {
    const { name, version, fileName } = wanted;
    if (parseSealedVersion('npm', version) !== null) {
      const sealed = await findSealedFile(db, scope, { ecosystem: 'npm', packageName: name, fileName });
      if (sealed) return sealedTarball(blobs, sealed);
    }
    if (upstream === null || (await isOwnName(db, scope, 'npm', name))) return null;
    return upstream.tarball(wanted);
  };
}

function sealedTarball(blobs: BlobStore, { fileName, sha256, sizeBytes }: SealedPackage): ServableArtifact {
  return {
    fileName,
    etag: `"sha256-${sha256}"`,
    open: async () => ({
      sizeBytes,
      read: (range) => {
        const isReadWhole = range === null && sizeBytes <= wholeReadBytesMax;
        return isReadWhole ? blobs.read(sha256) : blobs.open(sha256, range ?? undefined);
      },
      close: async () => {},
    }),
  };
}
