import path from 'node:path';
import { type WireEcosystem, type WirePatchSet, wireEcosystems } from '@sealsmith/contract';
import { type PlainFileFailure, readPlainFile } from '../plain-file.ts';
import { type FolderFile, folderFiles, type ImportProblem } from './folder-files.ts';

export interface FoundPatchSet {
  /** `<Ecosystem>/<name…>/<version>/spN` */
  name: string;
  set: WirePatchSet;
}

const patchBytesMax = 10 * 1024 * 1024;
const readmeBytesMax = 1024 * 1024;

/**
 * Reads the sets of patches below a folder that is laid out as `<Ecosystem>/<name…>/<version>/spN/NNNN-<ID>.patch`; the
 * ecosystems may also lie in its folder `patches`. A set that cannot be read whole is a problem. What the texts say is
 * for the service to judge.
 */
export async function* patchSets(root: string): AsyncGenerator<FoundPatchSet | ImportProblem> {
  let files: FolderFile[] = [];
  let folder = '';
  // Files come sorted, so those of one folder follow each other.
  for await (const file of folderFiles(root)) {
    if ('reason' in file) {
      yield file;
      continue;
    }
    if (!/\.patch$|(?:^|\/)readme\.md$/i.test(file.name)) continue;
    const parent = path.posix.dirname(file.name);
    if (parent !== folder) {
      yield* readSet(folder, files);
      files = [];
      folder = parent;
    }
    files.push(file);
  }
  yield* readSet(folder, files);
}

async function* readSet(folder: string, files: readonly FolderFile[]): AsyncGenerator<FoundPatchSet | ImportProblem> {
  const patchFiles = files.filter(({ name }) => name.endsWith('.patch'));
  if (patchFiles.length === 0) return;
  const coordinates = readCoordinates(folder.split('/'));
  if (coordinates === null) {
    yield { name: folder, reason: 'The folder is not <Ecosystem>/<name>/<version>/spN.' };
    return;
  }
  const patches: WirePatchSet['patches'] = [];
  for (const file of patchFiles) {
    const text = await readText(file, patchBytesMax);
    if (typeof text !== 'string') return yield text;
    patches.push({ file_name: path.posix.basename(file.name), text });
  }
  const readmeFile = files.find(({ name }) => !name.endsWith('.patch'));
  const readme = readmeFile === undefined ? null : await readText(readmeFile, readmeBytesMax);
  if (readme !== null && typeof readme !== 'string') return yield readme;
  yield { name: folder, set: { ...coordinates, readme, patches } };
}

function readCoordinates(folders: readonly string[]): Omit<WirePatchSet, 'readme' | 'patches'> | null {
  const segments = wireEcosystemOf(folders[0]) === null && folders[0] === 'patches' ? folders.slice(1) : folders;
  const ecosystem = wireEcosystemOf(segments[0]);
  const nameFolders = segments.slice(1, -2);
  const [versionFolder = '', iterationFolder = ''] = segments.slice(-2);
  const iteration = /^sp([1-9]\d{0,5})$/.exec(iterationFolder)?.[1];
  if (ecosystem === null || nameFolders.length === 0 || iteration === undefined) return null;
  return {
    ecosystem,
    package_name: joinName(ecosystem, nameFolders),
    // A colon cannot stand in a file name everywhere, so an epoch is written `1_`.
    package_version: ecosystem === 'RPM' ? versionFolder.replace(/^(\d+)_/, '$1:') : versionFolder,
    iteration: Number(iteration),
  };
}

/** An npm scope and a Maven group are folders above the package's own; a group may be one folder or one for each part. */
function joinName(ecosystem: WireEcosystem, folders: readonly string[]): string {
  const isGrouped = ecosystem === 'Maven' && folders.length > 1;
  return isGrouped ? `${folders.slice(0, -1).join('.')}:${folders.at(-1)}` : folders.join('/');
}

function wireEcosystemOf(folder = ''): WireEcosystem | null {
  return wireEcosystems.find((name) => name.toLowerCase() === folder.toLowerCase()) ?? null;
}

async function readText({ name, path: file }: FolderFile, bytesMax: number): Promise<string | ImportProblem> {
  const content = await readPlainFile(file, bytesMax);
  return 'failure' in content ? { name, reason: reasons[content.failure] } : content.text;
}

const reasons: Readonly<Record<PlainFileFailure, string>> = {
  absent: 'The file has gone.',
  not_plain: 'This is not a plain file.',
  too_large: 'The file is too large.',
  not_text: 'The file is not UTF-8 text.',
  unreadable: 'The file cannot be read.',
};
