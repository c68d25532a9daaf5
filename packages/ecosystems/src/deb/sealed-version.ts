import { createSuffixSpelling } from '../suffix-spelling.ts';

/** `1.2.3-1` → `1.2.3-1+~sp1`: above its origin, and below the distribution's own next fix `1.2.3-1+deb12u1`. */
export const debSealedSpelling = createSuffixSpelling({
  ecosystem: 'deb',
  suffix: '+~sp',
  originPattern: /^(?:\d+:)?[0-9a-z][0-9a-z.+~:-]*$/i,
  expected: 'it holds a character that has no place in a Debian version',
});
