/** The identifier that names a vulnerability: its CVE, else its GHSA, else the lowest of the rest. Throws on an empty list. */
export function preferIdentifier(ids: readonly string[]): string {
  const [first, ...rest] = ids;
  if (first === undefined) throw new RangeError('a vulnerability has at least one identifier');
  return rest.reduce((best, id) => (compareIdentifiers(id, best) < 0 ? id : best), first);
}

/** Orders by preference: CVE, GHSA, others; within a kind runs of digits count as numbers (CVE-2020-999 before CVE-2020-1000). */
export function compareIdentifiers(a: string, b: string): -1 | 0 | 1 {
  const byRank = rankOf(a) - rankOf(b);
  if (byRank !== 0) return byRank < 0 ? -1 : 1;
  return compareText(sortableText(a), sortableText(b)) || compareText(a, b);
}

/** The spelling to store and show: CVE ids in upper case, GHSA ids as `GHSA-` and a lower-case rest, others as their vendor writes them. */
export function normalizeIdentifier(text: string): string {
  const trimmed = text.trim();
  if (/^cve-/i.test(trimmed)) return trimmed.toUpperCase();
  if (/^ghsa-/i.test(trimmed)) return `GHSA-${trimmed.slice('GHSA-'.length).toLowerCase()}`;
  return trimmed;
}

/** Two identifiers are the same exactly when their keys are: look-ups must not depend on how a vendor capitalises. */
export function identifierKey(text: string): string {
  return text.trim().toLowerCase();
}

function rankOf(id: string): number {
  const key = identifierKey(id);
  if (key.startsWith('cve-')) return 0;
  return key.startsWith('ghsa-') ? 1 : 2;
}

function sortableText(id: string): string {
  return identifierKey(id).replace(/\d+/g, (digits) => digits.padStart(20, '0'));
}

function compareText(a: string, b: string): -1 | 0 | 1 {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
