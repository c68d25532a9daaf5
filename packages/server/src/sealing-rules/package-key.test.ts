import { ecosystemIds, InvalidNameError, normalizeName } from '@sealsmith/ecosystems';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { packageKey } from './package-key.ts';

test('names that any ecosystem holds for the same share their key', () => {
  const letters = fc.constantFrom('a', 'A', 'b', '-', '_', '.', '1', ':', '/', '@');
  const name = fc.array(letters, { minLength: 1, maxLength: 6 }).map((parts) => parts.join(''));
  const property = fc.property(fc.constantFrom(...ecosystemIds), name, name, (ecosystem, one, other) => {
    try {
      if (normalizeName(ecosystem, one) === normalizeName(ecosystem, other))
        expect(packageKey(one)).toBe(packageKey(other));
    } catch (error) {
      if (!(error instanceof InvalidNameError)) throw error;
    }
  });
  fc.assert(property, { numRuns: 2_000 });
});

test('a name as its ecosystem normalises it has the key of the name as it is written', () => {
  expect(packageKey('Flask_.Login')).toBe(packageKey(normalizeName('pypi', 'Flask_.Login')));
});
