import type { JsonSpan } from './json-spans.ts';

/** Replaces the characters from `start` to `end` (exclusive). */
export interface TextEdit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/**
 * The edit that makes a string member have this value; null when it has it already. A member that is missing is added
 * behind the last present one of `after`, with the blanks that the object has around its other members.
 */
export function editStringMember(
  text: string,
  object: JsonSpan,
  { key, value, after }: { key: string; value: string; after: readonly string[] },
): TextEdit | null {
  const present = object.members?.get(key);
  if (present !== undefined) {
    const { start, end } = present.value;
    return JSON.parse(text.slice(start, end)) === value ? null : { start, end, text: JSON.stringify(value) };
  }
  const neighbour = after.map((name) => object.members?.get(name)).findLast((member) => member !== undefined);
  if (neighbour === undefined) throw new TypeError(`the object has none of ${after.join(', ')}`);
  const { end } = neighbour.value;
  const colon = text.slice(neighbour.keyEnd, neighbour.value.start);
  return {
    start: end,
    end,
    text: `,${blanksBefore(text, object)}${JSON.stringify(key)}${colon}${JSON.stringify(value)}`,
  };
}

/** Edits must not overlap; those at one place are applied in their order. */
export function applyTextEdits(text: string, edits: readonly TextEdit[]): string {
  const pieces: string[] = [];
  let at = 0;
  for (const edit of edits.toSorted((a, b) => a.start - b.start)) {
    pieces.push(text.slice(at, edit.start), edit.text);
    at = edit.end;
  }
  return pieces.join('') + text.slice(at);
}

function blanksBefore(text: string, object: JsonSpan): string {
  return /^\s*/.exec(text.slice(object.start + 1, object.end))?.[0] ?? '';
}
