import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseByteRange } from './byte-range.ts';

test.each([
  ['bytes=0-3', { start: 0, end: 3 }],
  ['bytes=4-', { start: 4, end: 9 }],
  ['bytes=-3', { start: 7, end: 9 }],
  ['bytes=-30', { start: 0, end: 9 }],
  ['bytes=8-100', { start: 8, end: 9 }],
  ['bytes=10-', 'unsatisfiable'],
  ['bytes=-0', 'unsatisfiable'],
])('%s of ten bytes', (header, expected) => {
  expect(parseByteRange(header, 10)).toEqual(expected);
});

test.each([undefined, '', 'bytes=', 'bytes=-', 'bytes=5-2', 'bytes=0-1,3-4', 'lines=1-2', 'bytes=a-b', 'bytes=0x1-2'])(
  'the whole body answers %j',
  (header) => {
    expect(parseByteRange(header, 10)).toBeNull();
  },
);

test('nothing of an empty body can be asked for', () => {
  expect(parseByteRange('bytes=0-0', 0)).toBe('unsatisfiable');
  expect(parseByteRange('bytes=-1', 0)).toBe('unsatisfiable');
});

test('a range never leaves the body', () => {
  const number = fc.option(fc.nat(2_000), { nil: '' });
  fc.assert(
    fc.property(number, number, fc.nat(1_000), (first, last, sizeBytes) => {
      const range = parseByteRange(`bytes=${first}-${last}`, sizeBytes);
      if (range === null || range === 'unsatisfiable') return true;
      return range.start >= 0 && range.start <= range.end && range.end < sizeBytes;
    }),
  );
});
