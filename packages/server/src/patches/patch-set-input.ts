import { patchSetSchema, type WirePatchSet } from '@sealsmith/contract';
import {
  ecosystemFromWire,
  InvalidNameError,
  InvalidVersionError,
  normalizeName,
  sealedVersionOf,
} from '@sealsmith/ecosystems';
import { orderPatches, PatchEntryProblem, toPatchEntry } from './patch-entry.ts';
import type { PatchSet, PatchSetProblem } from './patch-set.ts';

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
    if (error instanceof PatchEntryProblem) return { path, problem: `${quote(error.fileName)}: ${error.message}` };
    if (error instanceof InvalidNameError || error instanceof InvalidVersionError)
      return { path, problem: error.message };
    throw error;
  }
}

function toPatchSet(wire: WirePatchSet): PatchSet {
  const ecosystem = ecosystemFromWire(wire.ecosystem);
  if (ecosystem === null) throw new Error('the schema lets known ecosystems through only');
  sealedVersionOf(ecosystem, wire.package_version, wire.iteration);
  return {
    ecosystem,
    name: normalizeName(ecosystem, wire.package_name),
    version: wire.package_version,
    iteration: wire.iteration,
    readme: wire.readme,
    patches: orderPatches(wire.patches.map(({ file_name, text }) => toPatchEntry(file_name, text))),
  };
}

function quote(text: string): string {
  return JSON.stringify(text.slice(0, 100));
}

function sentence(text: string): string {
  const [start = '', ...rest] = text;
  return `${start.toUpperCase()}${rest.join('').replace(/\.$/, '')}.`;
}
