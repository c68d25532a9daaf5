import { isDeepStrictEqual } from 'node:util';

export interface SealedDist {
  integrity: string;
  shasum: string;
  fileCount: number;
  unpackedSize: number;
}

interface SealedManifestInput {
  /** The registry's manifest of the origin, when it has one. */
  registryManifest: unknown;
  /** The package's own `package.json`, as published and as sealed. */
  originPackage: Record<string, unknown>;
  sealedPackage: Record<string, unknown>;
  name: string;
  version: string;
  dist: SealedDist;
}

/**
 * The sealed version's entry for the packument: the origin's, with what the patches changed in `package.json`, and without
 * what was only true of the origin: who published it, from which commit, and the signatures of its bytes.
 */
export function sealedManifestOf(input: SealedManifestInput): Record<string, unknown> {
  const { originPackage, sealedPackage, name, version, dist } = input;
  const base = isRecord(input.registryManifest) ? input.registryManifest : originPackage;
  const manifest = new Map(Object.entries(base).filter(([key]) => isKept(key)));
  for (const key of new Set([...Object.keys(originPackage), ...Object.keys(sealedPackage)])) {
    if (isDeepStrictEqual(originPackage[key], sealedPackage[key])) continue;
    if (Object.hasOwn(sealedPackage, key)) manifest.set(key, sealedPackage[key]);
    else manifest.delete(key);
  }
  return { ...Object.fromEntries(manifest), name, version, _id: `${name}@${version}`, dist };
}

/** Of the registry's own fields, only `_hasShrinkwrap` still says something about the package. */
function isKept(key: string): boolean {
  return key === '_hasShrinkwrap' || (!key.startsWith('_') && key !== 'gitHead');
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
