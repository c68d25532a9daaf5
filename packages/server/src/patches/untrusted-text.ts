import { createHash } from 'node:crypto';

const tokenLength = 32;

/** Encloses texts of others in a document so that none of them can end its own enclosure. */
export interface Fence {
  /** Stands in the two lines around every enclosed text, and in none of the texts. */
  token: string;
  enclose(label: string, text: string): string;
}

/**
 * Makes the fence for a document. `untrusted` is everything in it that others wrote: the token is derived from that and
 * checked not to occur in it, so that the same document always has the same token and nobody can write it beforehand.
 */
export function createFence(untrusted: string): Fence {
  const token = tokenFor(untrusted);
  return {
    token,
    enclose: (label, text) =>
      [`-----BEGIN ${label} ${token}-----`, text.replace(/\n$/, ''), `-----END ${label} ${token}-----`].join('\n'),
  };
}

/** One line, whatever the text holds: control characters and quotes are escaped. */
export function quoted(text: string): string {
  const toEscape = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  // JSON leaves these alone, though they break lines, show nothing, or turn the direction of what follows.
  return JSON.stringify(text).replace(/[\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g, toEscape);
}

function tokenFor(untrusted: string): string {
  for (let round = 0; ; round++) {
    const token = createHash('sha256').update(`${round}\n${untrusted}`).digest('hex').slice(0, tokenLength);
    if (!untrusted.includes(token)) return token;
  }
}
