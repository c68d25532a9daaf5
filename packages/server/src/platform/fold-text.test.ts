import fc from 'fast-check';
import { expect, test } from 'vitest';
import { foldText } from './fold-text.ts';

test('a part of a text folds to a part of the folded text', () => {
  expect(foldText('ΟΔΟΣΑ')).toContain(foldText('ΟΔΟΣ'));
  const letters = fc.constantFrom('Σ', 'ς', 'σ', 'Α', 'İ', 'I', 'i', 'ß', 'ẞ', 'Ꭰ', '🦭', "'", ' ');
  const property = fc.property(fc.array(letters), fc.array(letters), fc.array(letters), (before, part, after) => {
    const whole = [...before, ...part, ...after].join('');
    expect(foldText(whole)).toContain(foldText(part.join('')));
  });
  fc.assert(property);
});
