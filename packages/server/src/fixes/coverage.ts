import { isClosedBy } from '../vulnerabilities/closed-by.ts';
import { compareIdentifiers, identifierKey, normalizeIdentifier } from '../vulnerabilities/identifiers.ts';
import type { KnownVulnerability } from '../vulnerabilities/vulnerability.ts';

/** What a set of patches closes in one package version. */
export interface Coverage {
  /** Every identifier: those that the patches name, and all aliases of the known vulnerabilities that these hit. */
  identifiers: string[];
  /** The known vulnerabilities among them by their preferred identifier, and what is named but not on record. */
  vulnerabilities: string[];
  /** Whether a vulnerability that is known of the version is among them. */
  closesKnown: boolean;
}

export function coverageOf(named: readonly string[], known: readonly KnownVulnerability[]): Coverage {
  const hit = known.filter((vulnerability) => isClosedBy(named, vulnerability));
  const onRecord = identifierKeys(hit.flatMap(namesOf));
  const unrecorded = named.filter((identifier) => !onRecord.has(identifierKey(identifier)));
  return {
    identifiers: distinct([...hit.flatMap(namesOf), ...named]),
    vulnerabilities: distinct([...hit.map(({ identifier }) => identifier), ...unrecorded]),
    closesKnown: hit.length > 0,
  };
}

/** Those of `wanted` that are not among `identifiers`, whatever their capitals. */
export function missingIdentifiers(wanted: readonly string[], identifiers: readonly string[]): string[] {
  const keys = identifierKeys(identifiers);
  return distinct(wanted.filter((identifier) => !keys.has(identifierKey(identifier))));
}

/** The vulnerability that has this name, whichever of its aliases it is. */
export function findByName(known: readonly KnownVulnerability[], name: string): KnownVulnerability | undefined {
  return known.find((vulnerability) => isClosedBy([name], vulnerability));
}

export function namesOf({ identifier, aliases }: KnownVulnerability): string[] {
  return [identifier, ...aliases];
}

function identifierKeys(identifiers: readonly string[]): Set<string> {
  return new Set(identifiers.map(identifierKey));
}

/** One spelling of each, in the order of preference. */
function distinct(identifiers: readonly string[]): string[] {
  const spellings = new Map(
    identifiers.map((identifier) => [identifierKey(identifier), normalizeIdentifier(identifier)]),
  );
  return [...spellings.values()].sort(compareIdentifiers);
}
