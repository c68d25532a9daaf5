import { MalformedPatchError } from './malformed-patch-error.ts';

/** A position in the lines of a patch. Only line feeds separate lines: a carriage return is content. */
export interface PatchCursor {
  /** The line at the position, or `ahead` lines after it; null after the end. */
  peek(ahead?: number): string | null;
  advance(): void;
  malformed(problem: string): MalformedPatchError;
}

export function openPatchCursor(text: string): PatchCursor {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  let position = 0;
  return {
    peek: (ahead = 0) => lines[position + ahead] ?? null,
    advance: () => {
      position += 1;
    },
    malformed: (problem) => new MalformedPatchError(Math.min(position + 1, lines.length), problem),
  };
}
