import type { EcosystemId } from '@sealsmith/ecosystems';
import type { Db } from '../database/database.ts';
import type { TenantScope } from '../platform/tenancy.ts';

/** One patch as it went into a sealed version. */
export interface AppliedPatch {
  fileName: string;
  text: string;
  identifiers: string[];
}

/** A published sealed version of a tenant and its one artifact. */
export interface SealedPackage {
  ecosystem: EcosystemId;
  /** Normalised. */
  packageName: string;
  originVersion: string;
  iteration: number;
  sealedVersion: string;
  fixId: string;
  fileName: string;
  /** Hex; names the blob. */
  sha256: string;
  /** SHA-1 in hex, which npm still shows. */
  shasum: string;
  /** Subresource Integrity, sha512. */
  integrity: string;
  sizeBytes: number;
  /** Every identifier that it closes, those of earlier iterations included. */
  closedIdentifiers: string[];
  publishedOn: string;
}

/** What is published with a sealed package and read only where it is served or explained. */
export interface SealedPackageContent {
  /** The version's manifest as its repository serves it, without addresses. */
  manifest: Record<string, unknown>;
  patches: AppliedPatch[];
}

export interface PackageName {
  ecosystem: EcosystemId;
  /** Normalised. */
  packageName: string;
}

/** Every sealed version of these packages, ascending by iteration within an origin version. */
export type ListSealedPackages = (
  db: Db,
  scope: TenantScope,
  names: readonly PackageName[],
) => Promise<SealedPackage[]>;
