import type { EcosystemId } from '@sealsmith/ecosystems';
import type { PatchReport } from './apply-patch.ts';

/** Makes sealed artifacts of one ecosystem. */
export interface Builder {
  readonly supported: true;
  readonly ecosystem: EcosystemId;
  /**
   * Throws an `AppError`: `package_version_not_found`, or `upstream_unavailable` when upstream gives no usable answer; and
   * `IntegrityError` when the bytes are not those that upstream publishes a digest of.
   */
  fetchOrigin(name: string, version: string): Promise<OriginArtifact>;
  /** Whether upstream has the version. Throws an `AppError` `upstream_unavailable`. */
  hasOrigin(name: string, version: string): Promise<boolean>;
  /** That a patch does not fit is a result; only a defect of ours or of the machine throws. */
  build(input: BuildInput): Promise<BuildResult>;
}

/** What upstream publishes for one version; the bytes match the published digest. */
export interface OriginArtifact {
  fileName: string;
  url: string;
  /** sha512, as a subresource-integrity string. */
  integrity: string;
  bytes: Buffer;
  /** The registry's own description of the version, as it sent it; null when it has none. */
  manifest: unknown;
}

export interface BuildInput {
  name: string;
  originVersion: string;
  iteration: number;
  /** In the order in which they are applied. */
  patches: readonly BuildPatch[];
  origin: OriginArtifact;
}

export interface BuildPatch {
  fileName: string;
  text: string;
  identifiers: readonly string[];
}

export type BuildResult =
  | { kind: 'built'; artifact: SealedArtifact; report: PatchReport[] }
  | { kind: 'refused'; reason: string; report: PatchReport[] };

export interface SealedArtifact {
  fileName: string;
  bytes: Buffer;
  /** sha512, as a subresource-integrity string. */
  integrity: string;
  /** sha1 in hexadecimal. */
  shasum: string;
  /** In hexadecimal. */
  sha256: string;
  manifest: Record<string, unknown>;
}
