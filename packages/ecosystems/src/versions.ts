import type { ParsedVersion, VersionScheme } from './ecosystem.ts';
import type { EcosystemId } from './ecosystem-id.ts';
import { InvalidVersionError, UnsupportedEcosystemError } from './errors.ts';
import { ecosystems } from './registry.ts';

/** Throws InvalidVersionError, or UnsupportedEcosystemError where there is no order to go by. */
export function compareVersions(ecosystem: EcosystemId, a: string, b: string): -1 | 0 | 1 {
  return schemeOf(ecosystem).compare(a, b);
}

/** Throws InvalidVersionError, or UnsupportedEcosystemError. */
export function parseVersion(ecosystem: EcosystemId, text: string): ParsedVersion {
  return schemeOf(ecosystem).parse(text);
}

/** Throws UnsupportedEcosystemError: where versions cannot be read, neither answer would be true. */
export function isVersion(ecosystem: EcosystemId, text: string): boolean {
  const scheme = schemeOf(ecosystem);
  try {
    scheme.parse(text);
    return true;
  } catch (error) {
    if (error instanceof InvalidVersionError) return false;
    throw error;
  }
}

function schemeOf(ecosystem: EcosystemId): VersionScheme {
  const { versions } = ecosystems[ecosystem];
  if (!versions.supported) throw new UnsupportedEcosystemError(ecosystem, versions.reason);
  return versions;
}
