import type { TextSink } from '../cli-io.ts';
import { plainLine } from './plain-text.ts';

/** One line that is written over and over, on a terminal only. */
export interface Progress {
  update(text: string): void;
  clear(): void;
}

const clearLine = '\r\u001b[2K';

export function createProgress(sink: TextSink): Progress {
  if (sink.isTTY !== true) return { update: () => undefined, clear: () => undefined };
  return {
    update: (text) => void sink.write(`${clearLine}${plainLine(text).slice(0, 100)}`),
    clear: () => void sink.write(clearLine),
  };
}
