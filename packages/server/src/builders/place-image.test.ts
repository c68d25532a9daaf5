import fc from 'fast-check';
import { expect, test } from 'vitest';
import { placeImage } from './place-image.ts';

const request = { expected: -1, isExpectedTrusted: false, atStart: false, atEnd: false };
const someLines = (maxLength: number) => fc.array(fc.constantFrom('a', 'b'), { minLength: 1, maxLength });

test('the search finds exactly the places that comparing at every line finds', () => {
  fc.assert(
    fc.property(someLines(30), someLines(6), (lines, image) => {
      const places = lines.flatMap((_, at) => (image.every((line, index) => lines[at + index] === line) ? [at] : []));
      const [first] = places;
      const expected =
        places.length > 1
          ? { kind: 'ambiguous' }
          : first === undefined
            ? { kind: 'absent' }
            : { kind: 'found', at: first };
      expect(placeImage({ ...request, lines, image })).toEqual(expected);
    }),
    { numRuns: 2000 },
  );
});

test('a crafted file and hunk of repeated lines do not make the search slow', () => {
  const lines = new Array<string>(200_000).fill('a');
  const image = [...new Array<string>(100_000).fill('a'), 'b'];
  const started = performance.now();
  expect(placeImage({ ...request, lines, image })).toEqual({ kind: 'absent' });
  expect(performance.now() - started).toBeLessThan(2000);
});
