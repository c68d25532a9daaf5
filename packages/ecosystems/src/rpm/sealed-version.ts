import { createSuffixSpelling } from '../suffix-spelling.ts';

/** `1.2.3-4.el9` → `1.2.3-4.el9+sp1`: the seal is part of the release, so an origin without a release has no seal. */
export const rpmSealedSpelling = createSuffixSpelling({
  ecosystem: 'rpm',
  suffix: '+sp',
  originPattern: /^(?:\d+:)?[\w.+~^]+-[\w.+~^]+$/,
  expected: 'it is not of the form version-release',
});
