/**
 * Makes text safe for a terminal: control characters and those that reorder what is shown become `\uXXXX`. Line ends and
 * tabs stay. The escapes are those of JSON, so a JSON document means the same afterwards.
 */
export function plainText(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu, (character) =>
    character === '\n' || character === '\t' ? character : escaped(character),
  );
}

/** The same for a text that has to stay on one line. */
export function plainLine(text: string): string {
  return plainText(text).replace(/[\n\t]/g, escaped);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
