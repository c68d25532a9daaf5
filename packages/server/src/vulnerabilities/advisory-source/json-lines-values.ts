import { byteLines } from './byte-lines.ts';
import type { Bytes, SourceLimits, SourceValue } from './source-value.ts';

/** Reads one JSON record a line, named `file:12` by the line. A broken line costs that line only. */
export async function* jsonLinesValues(bytes: Bytes, name: string, limits: SourceLimits): AsyncGenerator<SourceValue> {
  for await (const line of byteLines(bytes, limits.recordBytesMax)) {
    const lineName = `${name}:${line.number}`;
    if (line.text === null) yield { name: lineName, problem: `the line is longer than ${limits.recordBytesMax} bytes` };
    else if (line.text.trim() !== '') yield parseLine(line.text, lineName);
  }
}

function parseLine(text: string, name: string): SourceValue {
  try {
    return { name, value: JSON.parse(text) };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { name, problem: 'the line is not valid JSON' };
  }
}
