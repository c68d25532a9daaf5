import { createTwoFilesPatch } from 'diff';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { applyHunks } from './apply-hunks.ts';
import { parsePatch } from './unified-diff.ts';

/** Few different lines, so that the same ones stand in many places. */
const commonLine = fc.constantFrom('', '}', '  return x;', 'a', 'b');
const lines = fc.array(fc.oneof(commonLine, fc.string({ maxLength: 6 }).map(withoutLineEnds)), { maxLength: 40 });

/** A file as one text, with or without a line feed at its end. */
const file = fc.tuple(lines, fc.boolean()).map(([content, isEnded]) => content.join('\n') + (isEnded ? '\n' : ''));
const edits = fc.array(
  fc.record({ at: fc.nat(40), remove: fc.nat(3), insert: fc.array(commonLine, { maxLength: 3 }) }),
  {
    minLength: 1,
    maxLength: 5,
  },
);

function withoutLineEnds(text: string): string {
  return text.replace(/[\r\n]/g, '.');
}

function edit(before: string, changes: readonly { at: number; remove: number; insert: string[] }[]): string {
  const content = before.split('\n');
  for (const { at, remove, insert } of changes) content.splice(Math.min(at, content.length), remove, ...insert);
  return content.join('\n');
}

function diff(before: string, after: string) {
  const patch = parsePatch(createTwoFilesPatch('a/x', 'b/x', before, after, '', '', { context: 3 }));
  return patch.files[0]?.hunks ?? [];
}

test('what is diffed and applied is the edited file, to the byte', () => {
  fc.assert(
    fc.property(file, edits, (before, changes) => {
      const after = edit(before, changes);
      fc.pre(after !== before);
      const outcome = applyHunks(Buffer.from(before), diff(before, after));
      expect(outcome.kind === 'applied' && outcome.bytes.toString()).toBe(after);
    }),
    { numRuns: 1000 },
  );
});

test('a file that has grown above the change gets the same change, or none', () => {
  const unique = fc.uniqueArray(fc.integer({ min: 0, max: 999 }), { minLength: 12, maxLength: 40 });
  fc.assert(
    fc.property(unique, fc.nat(40), fc.integer({ min: 1, max: 30 }), (numbers, position, growth) => {
      const content = numbers.map((number) => `line ${number}\n`);
      const at = 4 + (position % (content.length - 8));
      const after = content.with(at, 'changed\n');
      const grown = Array.from({ length: growth }, (_, index) => `grown ${index}\n`);
      const outcome = applyHunks(Buffer.from([...grown, ...content].join('')), diff(content.join(''), after.join('')));
      expect(outcome).toMatchObject({ kind: 'applied', hunks: [{ outcome: 'applied', shift: growth }] });
      expect(outcome.kind === 'applied' && outcome.bytes.toString()).toBe([...grown, ...after].join(''));
    }),
  );
});

test('a CRLF file gets the change of a line feed patch and keeps its own line ends', () => {
  fc.assert(
    fc.property(lines, edits, (content, changes) => {
      const before = `first\n${content.join('\n')}\nlast\n`;
      const after = edit(before, changes);
      fc.pre(after !== before);
      const outcome = applyHunks(Buffer.from(before.replaceAll('\n', '\r\n')), diff(before, after));
      expect(outcome.kind === 'applied' && outcome.bytes.toString()).toBe(after.replaceAll('\n', '\r\n'));
    }),
  );
});

test('a change that is there already is recognised, and nothing is changed a second time', () => {
  const unique = fc.uniqueArray(fc.integer({ min: 0, max: 999 }), { minLength: 12, maxLength: 40 });
  const inserted = fc.uniqueArray(fc.integer({ min: 1000, max: 1999 }), { maxLength: 3 });
  fc.assert(
    fc.property(unique, inserted, fc.nat(40), fc.nat(2), (numbers, added, position, removedCount) => {
      fc.pre(added.length > 0 || removedCount > 0);
      const content = numbers.map((number) => `line ${number}\n`);
      const at = 3 + (position % (content.length - 8));
      const after = content.toSpliced(at, removedCount, ...added.map((number) => `line ${number}\n`)).join('');
      const again = applyHunks(Buffer.from(after), diff(content.join(''), after));
      expect(again).toMatchObject({ kind: 'applied', hunks: [{ outcome: 'already_present' }] });
      expect(again.kind === 'applied' && again.bytes.toString()).toBe(after);
    }),
  );
});
