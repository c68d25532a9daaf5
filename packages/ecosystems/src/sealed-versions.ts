import type { EcosystemId } from './ecosystem-id.ts';
import { ecosystems } from './registry.ts';
import type { SealedVersion } from './sealed-spelling.ts';

/** Throws InvalidVersionError when the origin is no version, is sealed itself, or the iteration is out of range. */
export function sealedVersionOf(ecosystem: EcosystemId, originVersion: string, iteration: number): string {
  return ecosystems[ecosystem].sealedVersionOf(originVersion, iteration);
}

/** The inverse of `sealedVersionOf`; null for a version that merely looks sealed. */
export function parseSealedVersion(ecosystem: EcosystemId, version: string): SealedVersion | null {
  return ecosystems[ecosystem].parseSealedVersion(version);
}

/** The origin of a sealed version; any other version is its own origin. */
export function originVersionOf(ecosystem: EcosystemId, version: string): string {
  return parseSealedVersion(ecosystem, version)?.originVersion ?? version;
}

/** Iterations are ordered as numbers: npm and PyPI would put iteration 10 below 9. */
export function compareIterations(a: number, b: number): -1 | 0 | 1 {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
