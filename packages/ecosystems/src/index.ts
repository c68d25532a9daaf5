export type {
  Ecosystem,
  ManifestReader,
  ManifestReaders,
  ParsedVersion,
  PurlNaming,
  PurlParts,
  Unsupported,
  VersionScheme,
} from './ecosystem.ts';
export { type EcosystemId, ecosystemIds } from './ecosystem-id.ts';
export {
  InvalidNameError,
  InvalidPurlError,
  InvalidVersionError,
  ManifestError,
  UnsupportedEcosystemError,
} from './errors.ts';
export type { LockedPackage, LockedPackages } from './locked-package.ts';
export { ecosystemFromOsv, ecosystemFromWire } from './lookup.ts';
export { normalizeName } from './names.ts';
export { LockRedirectError, type LockRedirection, redirectLockedPackages } from './npm/lock-redirect.ts';
export { type PackageLock, readPackageLock, readParsedPackageLock } from './npm/package-lock.ts';
export { fromPurl, type PurlPackage, purlOf } from './purl.ts';
export { ecosystems } from './registry.ts';
export { iterationMax, type SealedSpelling, type SealedVersion } from './sealed-spelling.ts';
export { compareIterations, originVersionOf, parseSealedVersion, sealedVersionOf } from './sealed-versions.ts';
export { compareVersions, isVersion, parseVersion } from './versions.ts';
