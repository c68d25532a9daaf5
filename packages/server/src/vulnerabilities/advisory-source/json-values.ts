import { BoundedBytes } from './byte-lines.ts';
import type { Bytes, SourceLimits, SourceValue } from './source-value.ts';

/**
 * Reads JSON that holds one record, a list of records (named `file[3]` by their index), or records one after the other
 * (all but the first named `file#2` by their number). Only one record at a time is in memory. Where the JSON breaks, the
 * rest cannot be trusted to begin where it seems to, so reading stops there with a problem.
 */
export async function* jsonValues(bytes: Bytes, name: string, limits: SourceLimits): AsyncGenerator<SourceValue> {
  const reader = new JsonReader(name, limits.recordBytesMax);
  for await (const chunk of bytes) {
    yield* reader.push(chunk);
    if (reader.isBroken) return;
  }
  yield* reader.end();
}

/** What may come next between two records. */
type Place = 'start' | 'first item' | 'comma or end' | 'item' | 'end' | 'next record';

const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const byteOrderMark = Buffer.from('\ufeff');

/** Finds where records begin and end by brackets and strings alone; JSON.parse judges what lies between. */
class JsonReader {
  readonly #name: string;
  readonly #record: BoundedBytes;
  readonly #recordBytesMax: number;
  #place: Place = 'start';
  #isInList = false;
  #recordsBefore = 0;
  #bytesBefore = 0;
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  isBroken = false;

  constructor(name: string, recordBytesMax: number) {
    this.#name = name;
    this.#record = new BoundedBytes(recordBytesMax);
    this.#recordBytesMax = recordBytesMax;
  }

  *push(chunk: Uint8Array): Generator<SourceValue> {
    let position = 0;
    while (position < chunk.length && !this.isBroken) {
      if (this.#depth === 0 && !this.#enterRecord(chunk[position] ?? 0, this.#bytesBefore + position)) {
        if (this.isBroken)
          yield this.#broken(`something else than a record stands at byte ${this.#bytesBefore + position}`);
        position += 1;
        continue;
      }
      const end = this.#recordEnd(chunk, position);
      this.#record.append(chunk.subarray(position, end));
      if (this.#depth === 0) yield this.#takeRecord();
      position = end;
    }
    this.#bytesBefore += chunk.length;
  }

  *end(): Generator<SourceValue> {
    if (this.#depth > 0) yield this.#broken('it ends in the middle of a record');
    else if (this.#place === 'start') yield { name: this.#name, problem: 'the JSON is empty' };
    else if (this.#place !== 'end' && this.#place !== 'next record') yield this.#broken('it ends before the list does');
  }

  /** Takes one byte between records; true when a record begins with it. */
  #enterRecord(byte: number, offset: number): boolean {
    if (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) return false;
    if (offset < byteOrderMark.length && byte === byteOrderMark[offset]) return false;
    const next = this.#nextPlace(byte);
    this.isBroken = next === null;
    this.#place = next ?? this.#place;
    return byte === openBrace && next !== null;
  }

  #nextPlace(byte: number): Place | null {
    const place = this.#place;
    if (place === 'start' && byte === openBracket) {
      this.#isInList = true;
      return 'first item';
    }
    if ((place === 'start' || place === 'next record') && byte === openBrace) return 'next record';
    if ((place === 'first item' || place === 'item') && byte === openBrace) return 'comma or end';
    if ((place === 'first item' || place === 'comma or end') && byte === closeBracket) return 'end';
    return place === 'comma or end' && byte === comma ? 'item' : null;
  }

  /** Index behind the record's last byte, or the chunk's length while it goes on. */
  #recordEnd(chunk: Uint8Array, from: number): number {
    let [depth, isInString, isEscaped] = [this.#depth, this.#isInString, this.#isEscaped];
    let position = from;
    do {
      const byte = chunk[position];
      position += 1;
      if (isEscaped) isEscaped = false;
      else if (isInString) {
        if (byte === backslash) isEscaped = true;
        else if (byte === quote) isInString = false;
      } else if (byte === quote) isInString = true;
      else if (byte === openBrace || byte === openBracket) depth += 1;
      else if (byte === closeBrace || byte === closeBracket) depth -= 1;
    } while (depth > 0 && position < chunk.length);
    [this.#depth, this.#isInString, this.#isEscaped] = [depth, isInString, isEscaped];
    return position;
  }

  #takeRecord(): SourceValue {
    const name = this.#recordName();
    const text = this.#record.take();
    this.#recordsBefore += 1;
    if (text === null) return { name, problem: `the record is longer than ${this.#recordBytesMax} bytes` };
    try {
      return { name, value: JSON.parse(text) };
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      this.isBroken = true;
      return { name, problem: 'the record is not valid JSON; what follows it was not read' };
    }
  }

  #broken(reason: string): SourceValue {
    return {
      name: this.#recordName(),
      problem: `the JSON is broken: ${reason}; ${this.#recordsBefore} records before were read`,
    };
  }

  #recordName(): string {
    if (this.#isInList) return `${this.#name}[${this.#recordsBefore}]`;
    return this.#recordsBefore === 0 ? this.#name : `${this.#name}#${this.#recordsBefore + 1}`;
  }
}
