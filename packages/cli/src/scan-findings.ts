import type { VulnerablePackage } from '@sealsmith/contract';
import { type LockedPackage, originVersionOf } from '@sealsmith/ecosystems';

/** A vulnerable package and what the lockfile says of how the project came to it. */
export interface Finding {
  item: VulnerablePackage;
  /** Vulnerable as it is installed, and not hidden by anybody. */
  isOpen: boolean;
  isDirect: boolean;
  /** Names along the shortest way from a direct dependency; empty for a direct one. */
  via: readonly string[];
  paths: readonly string[];
}

export function findingsOf(items: readonly VulnerablePackage[], locked: readonly LockedPackage[]): Finding[] {
  const places = Map.groupBy(locked, ({ name, version }) => keyOf(name, version));
  return items.map((item) => {
    const entries = places.get(keyOf(item.package_name, item.package_version)) ?? [];
    const isDirect = entries.some((entry) => entry.isDirect);
    const [shortest] = entries.map(({ via }) => via).sort((a, b) => a.length - b.length);
    return {
      item,
      isOpen: !item.is_hidden && item.vulnerabilities.some(({ state }) => state === 'open'),
      isDirect,
      via: isDirect ? [] : (shortest ?? []),
      paths: entries.map(({ path }) => path),
    };
  });
}

/** The service speaks of origin versions; a lockfile may hold the sealed one. */
function keyOf(name: string, version: string): string {
  return `${name}@${originVersionOf('npm', version)}`;
}
