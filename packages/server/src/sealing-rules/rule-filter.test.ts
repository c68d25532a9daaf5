import fc from 'fast-check';
import { expect, test } from 'vitest';
import { foldText, parseRuleFilter } from './rule-filter.ts';

test('the filter is three-way: nothing, the sentinel alone, or a text', () => {
  expect(parseRuleFilter(undefined)).toEqual({ kind: 'all' });
  expect(parseRuleFilter('<ANY>')).toEqual({ kind: 'any-only' });
  expect(parseRuleFilter('EJS')).toEqual({ kind: 'contains', foldedText: 'ejs' });
  expect(parseRuleFilter('')).toEqual({ kind: 'contains', foldedText: '' });
});

test('only the exact sentinel is one', () => {
  for (const text of ['<any>', '<ANY', ' <ANY>', '<SAFEST>', '<ORIGIN>']) {
    expect(parseRuleFilter(text).kind, text).toBe('contains');
  }
});

test('a part of a text folds to a part of the folded text', () => {
  expect(foldText('ΟΔΟΣΑ')).toContain(foldText('ΟΔΟΣ'));
  const letters = fc.constantFrom('Σ', 'ς', 'σ', 'Α', 'İ', 'I', 'i', 'ß', 'ẞ', 'Ꭰ', '🦭', "'", ' ');
  const property = fc.property(fc.array(letters), fc.array(letters), fc.array(letters), (before, part, after) => {
    const whole = [...before, ...part, ...after].join('');
    expect(foldText(whole)).toContain(foldText(part.join('')));
  });
  fc.assert(property);
});
