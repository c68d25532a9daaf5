import { constants, type Dirent } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import {
  type EcosystemId,
  ecosystemFromWire,
  InvalidNameError,
  InvalidVersionError,
  normalizeName,
  sealedVersionOf,
} from '@sealsmith/ecosystems';
import { orderPatches, type PatchEntry, PatchEntryProblem, toPatchEntry } from './patch-entry.ts';

/** All patches of one iteration of one package version. */
export interface PatchSet {
  ecosystem: EcosystemId;
  /** As the ecosystem normalises it. */
  name: string;
  version: string;
  iteration: number;
  readme: string | null;
  /** In the order in which they are applied. */
  patches: PatchEntry[];
}

export interface PatchSetProblem {
  /** Relative to the folder that holds the ecosystems. */
  path: string;
  /** One sentence. */
  problem: string;
}

const patchBytesMax = 10 * 1024 * 1024;
const readmeBytesMax = 1024 * 1024;
const patchesMax = 200;

/** Reads the set in one `spN` folder whole, or says what keeps it from being read. */
export async function readPatchSet(
  root: string,
  segments: readonly string[],
  entries: readonly Dirent[],
): Promise<PatchSet | PatchSetProblem> {
  const place = { folder: path.join(root, ...segments), relative: segments.join('/') };
  try {
    const coordinates = readCoordinates(segments);
    const patches = await readPatches(place, entries);
    return { ...coordinates, readme: await readReadme(place, entries), patches };
  } catch (error) {
    if (!(error instanceof SetProblem || error instanceof PatchEntryProblem)) throw error;
    return {
      path: error.fileName === null ? place.relative : `${place.relative}/${error.fileName}`,
      problem: error.message,
    };
  }
}

/** Ends the reading of a set; never leaves this file. */
class SetProblem extends Error {
  readonly fileName: string | null;

  constructor(problem: string, fileName: string | null = null) {
    super(problem);
    this.fileName = fileName;
  }
}

interface Place {
  folder: string;
  relative: string;
}

function readCoordinates(segments: readonly string[]): Omit<PatchSet, 'readme' | 'patches'> {
  const [ecosystemFolder = '', ...rest] = segments;
  const [versionFolder = '', iterationFolder = ''] = rest.slice(-2);
  const nameFolders = rest.slice(0, -2);
  const ecosystem = ecosystemFromWire(ecosystemFolder);
  const iteration = Number(/^sp([1-9]\d{0,5})$/.exec(iterationFolder)?.[1] ?? Number.NaN);
  if (ecosystem === null || nameFolders.length === 0)
    throw new SetProblem('The path does not name a package and its version.');
  if (Number.isNaN(iteration)) throw new SetProblem('The folder does not name an iteration: sp1, sp2 and so on.');
  // A colon cannot stand in a file name everywhere, so an epoch is written `1_`.
  const version = ecosystem === 'rpm' ? versionFolder.replace(/^(\d+)_/, '$1:') : versionFolder;
  try {
    sealedVersionOf(ecosystem, version, iteration);
    return { ecosystem, name: normalizeName(ecosystem, joinName(ecosystem, nameFolders)), version, iteration };
  } catch (error) {
    if (error instanceof InvalidNameError || error instanceof InvalidVersionError) throw new SetProblem(error.message);
    throw error;
  }
}

/** An npm scope and a Maven group are folders above the package's own; a group may be one folder or one for each part. */
function joinName(ecosystem: EcosystemId, folders: readonly string[]): string {
  if (ecosystem === 'maven' && folders.length > 1) return `${folders.slice(0, -1).join('.')}:${folders.at(-1)}`;
  return folders.join('/');
}

async function readPatches(place: Place, entries: readonly Dirent[]): Promise<PatchEntry[]> {
  const named = entries.filter((entry) => entry.name.endsWith('.patch'));
  if (named.length === 0) throw new SetProblem('The folder holds no patch.');
  if (named.length > patchesMax) throw new SetProblem(`The folder holds more than ${patchesMax} patches.`);
  const patches: PatchEntry[] = [];
  for (const entry of named) patches.push(await readPatchEntry(place, entry));
  return orderPatches(patches);
}

async function readPatchEntry(place: Place, entry: Dirent): Promise<PatchEntry> {
  return toPatchEntry(entry.name, await readTextFile(place, { entry, bytesMax: patchBytesMax }));
}

async function readReadme(place: Place, entries: readonly Dirent[]): Promise<string | null> {
  const entry = entries.find(({ name }) => name.toLowerCase() === 'readme.md');
  return entry ? readTextFile(place, { entry, bytesMax: readmeBytesMax }) : null;
}

/** The whole file, which must be a plain one, within its limit and UTF-8: patches are applied byte by byte. */
async function readTextFile(
  { folder }: Place,
  { entry, bytesMax }: { entry: Dirent; bytesMax: number },
): Promise<string> {
  if (!entry.isFile()) throw new SetProblem('This is not a plain file.', entry.name);
  const bytes = await readPlainFile(path.join(folder, entry.name), bytesMax);
  if (typeof bytes === 'string') throw new SetProblem(bytes, entry.name);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new SetProblem('The file is not UTF-8 text.', entry.name);
  }
}

/** The file's bytes, or a sentence that says why there are none. */
async function readPlainFile(fullPath: string, bytesMax: number): Promise<Buffer | string> {
  try {
    // The name may have become a link or a pipe since the folder was listed.
    await using file = await open(fullPath, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const { size } = await file.stat();
    if (size > bytesMax) return `The file is larger than ${bytesMax} bytes.`;
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size + 1), 0, size + 1, 0);
    return bytesRead === size ? buffer.subarray(0, size) : 'The file changed while it was read.';
  } catch (error) {
    if (error instanceof Error && 'code' in error && typeof error.code === 'string') return 'The file cannot be read.';
    throw error;
  }
}
