import { expect, test } from 'vitest';
import { isNoneMatch } from './etag.ts';

test.each([
  ['"a"', '"a"', true],
  ['W/"a"', '"a"', true],
  ['"a"', 'W/"a"', true],
  ['"b", W/"a"', '"a"', true],
  ['*', '"a"', true],
  ['"b"', '"a"', false],
  ['a', '"a"', false],
  [undefined, '"a"', false],
])('If-None-Match: %s against %s', (header, etag, expected) => {
  expect(isNoneMatch(header, etag)).toBe(expected);
});
