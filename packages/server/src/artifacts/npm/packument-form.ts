/** The whole document, or what an installation needs of it. */
export type PackumentForm = 'full' | 'abbreviated';

export const mediaTypeOf = {
  full: 'application/json',
  abbreviated: 'application/vnd.npm.install-v1+json',
} as const satisfies Record<PackumentForm, string>;

const rangesMax = 32;

/**
 * What an `Accept` header prefers (RFC 9110, 12.5.1). The abbreviated form only goes to who names it; whoever accepts
 * neither gets the full document, as from other registries.
 */
export function preferredForm(accept: string | undefined): PackumentForm {
  const ranges = (accept ?? '').split(',', rangesMax).map(parseRange);
  const abbreviated = qualityOf(ranges, [mediaTypeOf.abbreviated]);
  const full = qualityOf(ranges, [mediaTypeOf.full, 'application/*', '*/*']) ?? 0;
  return abbreviated !== null && abbreviated > 0 && abbreviated >= full ? 'abbreviated' : 'full';
}

interface MediaRange {
  type: string;
  quality: number;
}

function parseRange(text: string): MediaRange {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const given = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
  const quality = given === undefined ? 1 : Number(given);
  return { type, quality: quality >= 0 && quality <= 1 ? quality : 0 };
}

/** The quality that the most specific of these ranges has; null when none is there. */
function qualityOf(ranges: readonly MediaRange[], types: readonly string[]): number | null {
  for (const wanted of types) {
    const found = ranges.find(({ type }) => type === wanted);
    if (found) return found.quality;
  }
  return null;
}
