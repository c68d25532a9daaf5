import { patchSetSchema, type WirePatchSet } from '@sealsmith/contract';
import {
  ecosystemFromWire,
  InvalidNameError,
  InvalidVersionError,
  normalizeName,
  sealedVersionOf,
} from '@sealsmith/ecosystems';
import { MalformedPatchError } from '../builders/malformed-patch-error.ts';
import { parsePatch } from '../builders/unified-diff.ts';
import { readPatchIdentifiers } from './patch-identifiers.ts';
import type { PatchEntry, PatchSet, PatchSetProblem } from './patch-set.ts';

/** Reads one item of an import request; `path` names it in a problem. Held to the same rules as a folder of patches. */
export function readPatchSetInput(item: unknown, path: string): PatchSet | PatchSetProblem {
  const parsed = patchSetSchema.safeParse(item);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const at = [path, ...(issue?.path ?? [])].join('.');
    return { path: at, problem: sentence(issue?.message ?? 'This is no patch set') };
  }
  try {
    return toPatchSet(parsed.data);
  } catch (error) {
    const isExpected = [InputProblem, InvalidNameError, InvalidVersionError].some((kind) => error instanceof kind);
    if (!isExpected || !(error instanceof Error)) throw error;
    return { path, problem: error.message };
  }
}

/** Ends the reading of an item; never leaves this file. */
class InputProblem extends Error {}

function toPatchSet(wire: WirePatchSet): PatchSet {
  const ecosystem = ecosystemFromWire(wire.ecosystem);
  if (ecosystem === null) throw new InputProblem(`${wire.ecosystem} is not a supported ecosystem.`);
  sealedVersionOf(ecosystem, wire.package_version, wire.iteration);
  return {
    ecosystem,
    name: normalizeName(ecosystem, wire.package_name),
    version: wire.package_version,
    iteration: wire.iteration,
    readme: wire.readme,
    patches: toEntries(wire.patches),
  };
}

function toEntries(patches: WirePatchSet['patches']): PatchEntry[] {
  const entries = patches.map(toEntry).sort((one, other) => one.sequence - other.sequence);
  const repeated = entries.find((entry, index) => entries[index - 1]?.sequence === entry.sequence);
  if (repeated) throw new InputProblem(`${quote(repeated.fileName)}: two patches have the same number.`);
  return entries;
}

function toEntry({ file_name: fileName, text }: WirePatchSet['patches'][number]): PatchEntry {
  // A name that could lead out of a folder would be a trap for whoever writes the set to disk.
  const sequence = /^(\d{4,6})-[^/\\]+\.patch$/.exec(fileName)?.[1];
  if (sequence === undefined) throw new InputProblem(`${quote(fileName)} is not named like 0001-CVE-2022-29078.patch.`);
  const identifiers = readPatchIdentifiers(messageOf(fileName, text), fileName);
  if (identifiers.length === 0) throw new InputProblem(`${quote(fileName)}: the patch names no vulnerability.`);
  return { fileName, sequence: Number(sequence), text, identifiers };
}

function messageOf(fileName: string, text: string): string {
  try {
    return parsePatch(text).message;
  } catch (error) {
    if (!(error instanceof MalformedPatchError)) throw error;
    throw new InputProblem(`${quote(fileName)}: the patch cannot be read: ${error.message}.`);
  }
}

function quote(text: string): string {
  return JSON.stringify(text.slice(0, 100));
}

function sentence(text: string): string {
  const [start = '', ...rest] = text;
  return `${start.toUpperCase()}${rest.join('').replace(/\.$/, '')}.`;
}
