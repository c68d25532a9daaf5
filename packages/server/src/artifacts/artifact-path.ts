import type { SealedPackage } from './sealed-package.ts';

/** Path of a sealed artifact below the service's public URL; null where its ecosystem has no repository here. */
export function artifactPath({ ecosystem, packageName, fileName }: SealedPackage): string | null {
  if (ecosystem !== 'npm') return null;
  return `/artifacts/npm/${packageName}/-/${encodeURIComponent(fileName)}`;
}
