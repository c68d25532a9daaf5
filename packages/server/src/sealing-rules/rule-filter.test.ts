import { expect, test } from 'vitest';
import { parseRuleFilter } from './rule-filter.ts';

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
