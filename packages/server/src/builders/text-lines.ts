/**
 * Files are handled as lines of bytes: each string holds one line, its line feed included, one character per byte. What no
 * patch touches therefore stays the same to the byte, whatever its encoding.
 */
export function splitLines(bytes: Uint8Array): string[] {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

export function joinLines(lines: readonly string[]): Buffer {
  return Buffer.from(lines.join(''), 'latin1');
}

/** A line of a patch, which is UTF-8 text, as a line of bytes. */
export function toByteLine(text: string, hasNewline: boolean): string {
  return Buffer.from(hasNewline ? `${text}\n` : text, 'utf8').toString('latin1');
}
