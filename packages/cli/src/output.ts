import { type CliError, problemOf } from './cli-error.ts';
import type { CliIo } from './cli-io.ts';
import { plainText } from './render/plain-text.ts';
import { createProgress, type Progress } from './render/progress.ts';

/** Results go to stdout, everything else to stderr; nothing reaches a terminal unescaped. */
export interface Output {
  readonly isJson: boolean;
  readonly progress: Progress;
  /** The result: `text` for people, or the document with `--json`. */
  result(document: unknown, text: () => string): void;
  /** A text that a file or pipe receives byte for byte. */
  verbatim(text: string): void;
  /** Advice beside the result; not part of what `--json` promises, so it is left out there. */
  note(text: string): void;
  failure(error: CliError): void;
}

export function createOutput({ stdout, stderr }: Pick<CliIo, 'stdout' | 'stderr'>, isJson: boolean): Output {
  const progress = createProgress(stderr);
  return {
    isJson,
    progress,
    result: (document, text) => {
      progress.clear();
      stdout.write(`${plainText(isJson ? JSON.stringify(document, null, 2) : text())}\n`);
    },
    verbatim: (text) => void stdout.write(ended(stdout.isTTY === true ? plainText(text) : text)),
    note: (text) => {
      if (!isJson) stderr.write(`${plainText(text)}\n`);
    },
    failure: (error) => {
      progress.clear();
      stderr.write(`${plainText(isJson ? JSON.stringify(problemOf(error), null, 2) : failureText(error))}\n`);
    },
  };
}

function failureText({ message, problem }: CliError): string {
  const details = (problem?.errors ?? []).map(
    ({ location, name, message: reason }) => `  ${location} ${name}: ${reason}`,
  );
  // One invalid value is what the detail speaks of already.
  const lines = [`sealsmith: ${message}`, ...(details.length > 1 ? details : [])];
  if (problem && problem.status >= 500) lines.push(`  The request id for the server's log: ${problem.request_id}`);
  return lines.join('\n');
}

function ended(text: string): string {
  return text.endsWith('\n') ? text : `${text}\n`;
}
