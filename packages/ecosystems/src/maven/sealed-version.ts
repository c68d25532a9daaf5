import { createSuffixSpelling } from '../suffix-spelling.ts';

/** `2.17.0` → `2.17.0+sp1`, `2.17.0+sp10`: Maven's order knows `sp` and reads the number as a number. */
export const mavenSealedSpelling = createSuffixSpelling({
  ecosystem: 'maven',
  suffix: '+sp',
  originPattern: /^\w[\w.+~-]*$/,
  expected: 'it holds a character that has no place in a Maven version',
});
