import type { EcosystemId } from './ecosystem-id.ts';
import type { LockedPackages } from './locked-package.ts';
import type { SealedSpelling } from './sealed-spelling.ts';

/** What differs from one ecosystem to the next. Pure: text in, values out. */
export interface Ecosystem extends SealedSpelling {
  readonly id: EcosystemId;
  /** The spelling in API requests and answers; read without regard to case. */
  readonly wireName: 'NPM' | 'PyPI' | 'Maven' | 'RPM' | 'DEB' | 'APK';
  /** The OSV ecosystems that speak of these packages, without the release that may follow a colon. */
  readonly osvNames: readonly string[];
  readonly purlType: string;
  readonly purlNaming: PurlNaming;
  /** The one spelling under which a name is stored and compared. Throws InvalidNameError. */
  normalizeName(name: string): string;
  readonly versions: VersionScheme | Unsupported;
  readonly manifests: ManifestReaders | Unsupported;
}

export interface VersionScheme {
  readonly supported: true;
  /** Throws InvalidVersionError. */
  parse(text: string): ParsedVersion;
  /** A total order over valid versions. Throws InvalidVersionError. */
  compare(a: string, b: string): -1 | 0 | 1;
}

export interface ParsedVersion {
  readonly text: string;
  /** How a registry spells this version: without what plays no part in the order. */
  readonly canonical: string;
  readonly isPrerelease: boolean;
}

export interface ManifestReaders {
  readonly supported: true;
  readonly readers: readonly ManifestReader[];
}

export interface ManifestReader {
  readonly fileNames: readonly string[];
  /** Throws ManifestError; never a partial list. */
  read(text: string, fileName: string): LockedPackages;
}

/** Said in words, because the words reach the user. */
export interface Unsupported {
  readonly supported: false;
  /** At least one full sentence. */
  readonly reason: string;
}

/** How a package is spread over the parts of a package URL. */
export interface PurlNaming {
  toParts(name: string, version: string | null): PurlParts;
  fromParts(parts: PurlParts): { name: string; version: string | null };
}

export interface PurlParts {
  readonly namespace: string | null;
  readonly name: string;
  readonly version: string | null;
  /** RPM's epoch, which a package URL carries as a qualifier; null everywhere else. */
  readonly epoch: string | null;
}
