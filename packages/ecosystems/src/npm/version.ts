import semver from 'semver';
import type { VersionScheme } from '../ecosystem.ts';
import { InvalidVersionError } from '../errors.ts';

/** Semantic Versioning 2.0.0 to the letter: no `v` before it, no blanks around it, exactly three numbers. */
export const npmVersions: VersionScheme = {
  supported: true,
  parse(text) {
    const version = parseSemver(text);
    return { text, canonical: version.version, isPrerelease: version.prerelease.length > 0 };
  },
  compare(a, b) {
    return semver.compare(parseSemver(a), parseSemver(b));
  },
};

export function isNpmVersion(text: string): boolean {
  return strictSemver(text) !== null;
}

function parseSemver(text: string): semver.SemVer {
  const version = strictSemver(text);
  if (version === null) throw new InvalidVersionError('npm', text, 'it does not follow Semantic Versioning 2.0.0');
  return version;
}

/** The library forgives a leading `v` and blanks even when it is told to be strict. */
function strictSemver(text: string): semver.SemVer | null {
  return /^\d/.test(text) && !/\s$/.test(text) ? semver.parse(text, { loose: false }) : null;
}
