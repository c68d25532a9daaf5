import type { Severity } from '@sealsmith/contract';
import { compareIdentifiers, identifierKey, preferIdentifier } from './identifiers.ts';
import type { Advisory } from './osv-record.ts';
import { worstSeverity } from './severity.ts';

/** One vulnerability as clients see it. */
export interface VulnerabilityDescription {
  identifier: string;
  aliases: string[];
  severity: Severity;
  cvss_score: number | null;
}

/**
 * Groups the records that speak of one vulnerability: those that share an id or alias, directly or through others. The
 * groups come by preferred identifier and their members by id, so the outcome does not depend on the order of the input.
 */
export function joinByAliases<Item extends { id: string; aliases: readonly string[] }>(
  records: readonly Item[],
): Item[][] {
  const names = new DisjointSets();
  for (const { id, aliases } of records) {
    for (const alias of aliases) names.unite(identifierKey(id), identifierKey(alias));
  }
  const groups = Map.groupBy(records, ({ id }) => names.find(identifierKey(id)));
  return [...groups.values()]
    .map((members) => ({
      members: members.sort((a, b) => compareIdentifiers(a.id, b.id)),
      identifier: preferredOf(members),
    }))
    .sort((a, b) => compareIdentifiers(a.identifier, b.identifier))
    .map(({ members }) => members);
}

/** Describes advisories that were joined; there is at least one, and withdrawn ones are the caller's to leave out. */
export function describeVulnerability(advisories: readonly Advisory[]): VulnerabilityDescription {
  const identifier = preferredOf(advisories);
  const spellings = Map.groupBy(allIds(advisories), identifierKey);
  spellings.delete(identifierKey(identifier));
  const scores = advisories.flatMap(({ cvssScore }) => cvssScore ?? []);
  return {
    identifier,
    aliases: [...spellings.values()].map(preferIdentifier).sort(compareIdentifiers),
    severity: worstSeverity(advisories.map(({ severity }) => severity)),
    cvss_score: scores.length === 0 ? null : Math.max(...scores),
  };
}

function preferredOf(records: readonly { id: string; aliases: readonly string[] }[]): string {
  return preferIdentifier(allIds(records));
}

function allIds(records: readonly { id: string; aliases: readonly string[] }[]): string[] {
  return records.flatMap(({ id, aliases }) => [id, ...aliases]);
}

/** Union-find with path halving and union by size: near-linear, and no recursion that a long chain could exhaust. */
class DisjointSets {
  readonly #parents = new Map<string, string>();
  readonly #sizes = new Map<string, number>();

  find(member: string): string {
    let current = member;
    for (;;) {
      const parent = this.#parents.get(current) ?? current;
      const grandparent = this.#parents.get(parent) ?? parent;
      if (parent === grandparent) return parent;
      this.#parents.set(current, grandparent);
      current = grandparent;
    }
  }

  unite(a: string, b: string): void {
    const [rootA, rootB] = [this.find(a), this.find(b)];
    if (rootA === rootB) return;
    const [sizeA, sizeB] = [this.#sizes.get(rootA) ?? 1, this.#sizes.get(rootB) ?? 1];
    const [small, large] = sizeA < sizeB ? [rootA, rootB] : [rootB, rootA];
    this.#parents.set(small, large);
    this.#sizes.set(large, sizeA + sizeB);
  }
}
