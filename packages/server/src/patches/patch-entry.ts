import { MalformedPatchError } from '../builders/malformed-patch-error.ts';
import { parsePatch } from '../builders/unified-diff.ts';
import { readPatchIdentifiers } from './patch-identifiers.ts';

/** One patch of an iteration. */
export interface PatchEntry {
  fileName: string;
  sequence: number;
  text: string;
  /** The vulnerabilities that it says it fixes; at least one. */
  identifiers: string[];
}

/** What keeps a patch from being used, in a sentence. */
export class PatchEntryProblem extends Error {
  readonly fileName: string;

  constructor(fileName: string, problem: string, options?: ErrorOptions) {
    super(problem, options);
    this.fileName = fileName;
  }
}

/** @throws PatchEntryProblem */
export function toPatchEntry(fileName: string, text: string): PatchEntry {
  // A name that could lead out of a folder would be a trap for whoever writes the set to disk.
  const sequence = /^(\d{4,6})-[^/\\]+\.patch$/.exec(fileName)?.[1];
  if (sequence === undefined) {
    throw new PatchEntryProblem(
      fileName,
      'The file is not named by a number and what it fixes, like 0001-CVE-2022-29078.patch.',
    );
  }
  const identifiers = readPatchIdentifiers(messageOf(fileName, text), fileName);
  if (identifiers.length === 0) throw new PatchEntryProblem(fileName, 'The patch names no vulnerability.');
  return { fileName, sequence: Number(sequence), text, identifiers };
}

/** In the order in which they are applied. @throws PatchEntryProblem when two have the same number */
export function orderPatches(entries: readonly PatchEntry[]): PatchEntry[] {
  const ordered = entries.toSorted((one, other) => one.sequence - other.sequence);
  const repeated = ordered.find((entry, index) => ordered[index - 1]?.sequence === entry.sequence);
  if (repeated) throw new PatchEntryProblem(repeated.fileName, 'Two patches have the same number.');
  return ordered;
}

function messageOf(fileName: string, text: string): string {
  try {
    return parsePatch(text).message;
  } catch (error) {
    if (!(error instanceof MalformedPatchError)) throw error;
    throw new PatchEntryProblem(fileName, `The patch cannot be read: ${error.message}.`, { cause: error });
  }
}
