import type { PackageName } from '../artifacts/sealed-package.ts';
import type { Db } from '../database/database.ts';
import type { TenantScope } from '../platform/tenancy.ts';
import type { PatchEntry } from './patch-entry.ts';

/** A package version as the catalog files its patches: by the version that upstream published. */
export interface OriginVersion extends PackageName {
  originVersion: string;
}

/** What the catalog holds for one iteration of a package version. */
export interface StoredPatchSet extends OriginVersion {
  iteration: number;
  /** In the order in which they are applied. */
  patches: PatchEntry[];
  /** Tells this content from any other under the same key. */
  digest: string;
}

/**
 * The patches to seal a version with; null when the tenant sees none. Iterations are cumulative, so that it is the highest
 * alone, and the tenant's own rather than the shared one of the same iteration.
 */
export type FindBestPatchSet = (db: Db, scope: TenantScope, wanted: OriginVersion) => Promise<StoredPatchSet | null>;
