import { applyHunks, type HunkReport, type LineEnding } from './apply-hunks.ts';
import { type FileRole, fileRole } from './file-role.ts';
import { touchesHousekeepingOnly } from './manifest-role.ts';
import type { FilePatch, PatchFile } from './patch-file.ts';

export type PackageFiles = ReadonlyMap<string, Uint8Array>;

export interface FileReport {
  path: string;
  role: FileRole;
  outcome: 'applied' | 'already_present' | 'skipped' | 'refused';
  /** Why it was skipped or refused. */
  reason: string | null;
  lineEnding: LineEnding;
  hunks: HunkReport[];
}

export type PatchOutcome =
  | { kind: 'applied'; files: Map<string, Uint8Array>; report: FileReport[] }
  | { kind: 'refused'; reason: string; report: FileReport[] };

/**
 * Applies one patch to the files of a package. Test and housekeeping files that the package lacks, or has otherwise, are
 * left out and reported; a runtime file must be there and every hunk must fit it. A patch that leaves every existing
 * runtime file as it was is refused: nothing that users load would be fixed.
 */
export function applyPatch(original: PackageFiles, patch: PatchFile): PatchOutcome {
  const files = new Map(original);
  const report: FileReport[] = [];
  let hasFixed = false;
  for (const filePatch of patch.files) {
    const role = roleOf(filePatch);
    const change = changeOf(filePatch, { files, role });
    report.push(reportOf(filePatch, role, change));
    if (change.kind !== 'changed') continue;
    if (change.removed !== null) files.delete(change.removed);
    if (change.written !== null) files.set(change.written.path, change.written.bytes);
    // A new file that nothing refers to yet changes no program: only a change to an existing one counts.
    hasFixed ||= role === 'runtime' && filePatch.kind !== 'create';
  }
  const refused = report.filter(({ outcome }) => outcome === 'refused');
  if (refused.length > 0) return { kind: 'refused', reason: describeRefusal(refused), report };
  if (!hasFixed) return { kind: 'refused', reason: describeNothingFixed(report), report };
  return { kind: 'applied', files, report };
}

export interface NamedPatch {
  fileName: string;
  patch: PatchFile;
}

export interface PatchReport {
  fileName: string;
  files: FileReport[];
}

export type PatchesOutcome =
  | { kind: 'applied'; files: Map<string, Uint8Array>; report: PatchReport[] }
  | { kind: 'refused'; reason: string; report: PatchReport[] };

/** Applies the patches of one iteration, in the given order, each to what the ones before it left. All or nothing. */
export function applyPatches(original: PackageFiles, patches: readonly NamedPatch[]): PatchesOutcome {
  let files = new Map(original);
  const report: PatchReport[] = [];
  if (patches.length === 0) return { kind: 'refused', reason: 'there is no patch to apply', report };
  for (const { fileName, patch } of patches) {
    const outcome = applyPatch(files, patch);
    report.push({ fileName, files: outcome.report });
    if (outcome.kind === 'refused') return { kind: 'refused', reason: `${fileName}: ${outcome.reason}`, report };
    files = outcome.files;
  }
  return { kind: 'applied', files, report };
}

function roleOf(filePatch: FilePatch): FileRole {
  const roles = [filePatch.oldPath, filePatch.newPath].filter((path) => path !== null).map(fileRole);
  if (!roles.includes('runtime')) return roles[0] ?? 'runtime';
  const isManifest = filePatch.kind === 'modify' && /(?:^|\/)package\.json$/.test(filePatch.newPath ?? '');
  return isManifest && touchesHousekeepingOnly(filePatch) ? 'housekeeping' : 'runtime';
}

type Change =
  | {
      kind: 'changed';
      removed: string | null;
      written: { path: string; bytes: Uint8Array } | null;
      hunks: HunkReport[];
      lineEnding: LineEnding;
    }
  | { kind: 'already_present'; hunks: HunkReport[] }
  /** Not wanted or not possible here, but not needed either: what decides is the file's role. */
  | { kind: 'impossible'; reason: string }
  | { kind: 'left_out'; reason: string };

interface Target {
  files: ReadonlyMap<string, Uint8Array>;
  role: FileRole;
}

function changeOf(filePatch: FilePatch, target: Target): Change {
  if (filePatch.isBinary) return { kind: 'impossible', reason: 'the change is binary' };
  if (filePatch.kind === 'create') return createFile(filePatch, target);
  if (filePatch.hunks.length === 0 && filePatch.kind === 'modify') {
    return { kind: 'left_out', reason: 'only the file mode changes' };
  }
  return changeFile(filePatch, target.files);
}

function createFile({ newPath, hunks }: FilePatch, { files, role }: Target): Change {
  const path = newPath ?? '';
  if (role !== 'runtime' && !files.has(path)) return { kind: 'left_out', reason: 'the package does not ship it' };
  const created = applyHunks(new Uint8Array(), hunks);
  if (created.kind === 'failed') return { kind: 'impossible', reason: `hunk ${created.hunk}: ${created.reason}` };
  const present = files.get(path);
  if (present !== undefined) {
    return created.bytes.equals(present)
      ? { kind: 'already_present', hunks: [] }
      : { kind: 'impossible', reason: 'the patch creates it, but the package has another file of this name' };
  }
  if (isBlocked(path, files))
    return { kind: 'impossible', reason: 'a file of the package stands where it needs a folder' };
  const { bytes, hunks: reports, lineEnding } = created;
  return { kind: 'changed', removed: null, written: { path, bytes }, hunks: reports, lineEnding };
}

function changeFile({ kind, oldPath, newPath, hunks }: FilePatch, files: PackageFiles): Change {
  const path = oldPath ?? '';
  const present = files.get(path);
  if (present === undefined) return { kind: 'impossible', reason: 'the package has no such file' };
  const applied = applyHunks(present, hunks);
  if (applied.kind === 'failed') return { kind: 'impossible', reason: `hunk ${applied.hunk}: ${applied.reason}` };
  const { bytes, hunks: reports, lineEnding } = applied;
  if (kind === 'delete') {
    if (bytes.length > 0) return { kind: 'impossible', reason: 'the patch deletes it, but the package has more in it' };
    return { kind: 'changed', removed: path, written: null, hunks: reports, lineEnding };
  }
  const target = newPath ?? path;
  const isMoved = target !== path;
  if (isMoved && (files.has(target) || isBlocked(target, files))) {
    return { kind: 'impossible', reason: `the package already has something at ${target}` };
  }
  if (!isMoved && bytes.equals(present)) return { kind: 'already_present', hunks: reports };
  return {
    kind: 'changed',
    removed: isMoved ? path : null,
    written: { path: target, bytes },
    hunks: reports,
    lineEnding,
  };
}

/** A name cannot be a file and a folder at once. */
function isBlocked(path: string, files: PackageFiles): boolean {
  const segments = path.split('/');
  const isUnderFile = segments.some((_, index) => index > 0 && files.has(segments.slice(0, index).join('/')));
  return isUnderFile || [...files.keys()].some((other) => other.startsWith(`${path}/`));
}

function reportOf({ oldPath, newPath }: FilePatch, role: FileRole, change: Change): FileReport {
  const base: FileReport = {
    path: newPath ?? oldPath ?? '',
    role,
    outcome: 'skipped',
    reason: null,
    lineEnding: 'as_patch',
    hunks: [],
  };
  switch (change.kind) {
    case 'changed':
      return { ...base, outcome: 'applied', hunks: change.hunks, lineEnding: change.lineEnding };
    case 'already_present':
      return { ...base, outcome: 'already_present', hunks: change.hunks };
    case 'left_out':
      return { ...base, reason: change.reason };
    case 'impossible':
      return { ...base, outcome: role === 'runtime' ? 'refused' : 'skipped', reason: change.reason };
  }
}

function describeRefusal(refused: readonly FileReport[]): string {
  return refused.map(({ path, reason }) => `${path}: ${reason}`).join('; ');
}

function describeNothingFixed(report: readonly FileReport[]): string {
  const runtime = report.filter(({ role }) => role === 'runtime');
  const isPresent = runtime.length > 0 && runtime.every(({ outcome }) => outcome === 'already_present');
  return isPresent ? 'the package already has every change of it' : 'it changes no file of the package that users load';
}
