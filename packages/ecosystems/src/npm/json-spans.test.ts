import fc from 'fast-check';
import { expect, test } from 'vitest';
import { JsonSyntaxError, jsonDepthMax, parseJsonSpans } from './json-spans.ts';

test('spans give back the value and the key, and the last of equal keys counts', () => {
  const text = ' { "a\\u0062" : [1, {"x": 2}] , "n":-1.5e+3, "n" :"é\\"" } ';
  const { members, start, end } = parseJsonSpans(text);
  expect(text.slice(start, end)).toBe(text.trim());
  const values = Array.from(members ?? [], ([key, { value }]) => [key, text.slice(value.start, value.end)]);
  expect(values).toEqual([
    ['ab', '[1, {"x": 2}]'],
    ['n', '"é\\""'],
  ]);
});

test.each([
  ['', 0],
  ['{', 1],
  ['{"a":}', 5],
  ['[1,]', 3],
  ['"\\x"', 1],
  ['"a\nb"', 2],
  ['01', 1],
  ['{} x', 3],
  ["{'a':1}", 1],
])('%j is no JSON from its character %i on', (text, offset) => {
  expect(() => parseJsonSpans(text)).toThrow(new JsonSyntaxError(offset));
});

test('nesting is bounded, so hostile input costs no call stack', () => {
  expect(() => parseJsonSpans('['.repeat(1_000_000))).toThrow(JsonSyntaxError);
  const deepest = '['.repeat(jsonDepthMax) + ']'.repeat(jsonDepthMax);
  expect(parseJsonSpans(deepest).end).toBe(deepest.length);
});

test('accepts exactly what JSON.parse accepts', () => {
  const broken = fc
    .tuple(fc.json(), fc.nat(), fc.constantFrom('', ',', '"', '\\', '0', '-', '{', ']', '\u0001', '.e'))
    .map(([json, at, added]) => json.slice(0, at % (json.length + 1)) + added + json.slice(at % (json.length + 1)));
  fc.assert(
    fc.property(fc.oneof(fc.json(), fc.string(), broken), (text) => {
      expect(isAccepted(() => parseJsonSpans(text))).toBe(isAccepted(() => JSON.parse(text)));
    }),
    { numRuns: 5000 },
  );
});

function isAccepted(parse: () => unknown): boolean {
  try {
    parse();
    return true;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof JsonSyntaxError) return false;
    throw error;
  }
}
