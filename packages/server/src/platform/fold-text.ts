/**
 * How texts are folded for comparison without regard to case: by Unicode, the same on every database. The final sigma is
 * folded too: it depends on what follows, and a part of a text must fold to a part of the folded text.
 */
export function foldText(text: string): string {
  return text.toLowerCase().replaceAll('ς', 'σ');
}
