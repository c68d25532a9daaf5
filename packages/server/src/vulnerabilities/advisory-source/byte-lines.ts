import type { Bytes } from './source-value.ts';

/** Yields the lines of UTF-8 text, counted from 1, without their ends and a leading BOM; null stands for one that is too long. */
export async function* byteLines(
  bytes: Bytes,
  lineBytesMax: number,
): AsyncGenerator<{ number: number; text: string | null }> {
  const line = new BoundedBytes(lineBytesMax);
  let number = 1;
  for await (const chunk of bytes) {
    let start = 0;
    for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, start)) {
      line.append(chunk.subarray(start, end));
      yield { number, text: withoutBom(line.take(), number) };
      number += 1;
      start = end + 1;
    }
    line.append(chunk.subarray(start));
  }
  if (line.length > 0) yield { number, text: withoutBom(line.take(), number) };
}

/** Collects pieces up to a limit; beyond it the bytes are only counted, so that hostile input does not fill memory. */
export class BoundedBytes {
  readonly #bytesMax: number;
  #pieces: Uint8Array[] = [];
  #length = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get length(): number {
    return this.#length;
  }

  append(piece: Uint8Array): void {
    this.#length += piece.length;
    if (this.#length > this.#bytesMax) this.#pieces = [];
    else if (piece.length > 0) this.#pieces.push(piece);
  }

  /** The text so far, null when it was too long; starts anew. */
  take(): string | null {
    const isTooLong = this.#length > this.#bytesMax;
    const [only, ...others] = this.#pieces;
    const whole = others.length === 0 ? only : Buffer.concat(this.#pieces);
    this.#pieces = [];
    this.#length = 0;
    return isTooLong ? null : decode(whole);
  }
}

const lineFeed = 0x0a;

function decode(bytes: Uint8Array | undefined): string {
  if (bytes === undefined) return '';
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}

function withoutBom(text: string | null, lineNumber: number): string | null {
  return lineNumber === 1 && text?.startsWith('\ufeff') ? text.slice(1) : text;
}
