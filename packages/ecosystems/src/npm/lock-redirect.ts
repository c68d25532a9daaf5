import { ManifestError } from '../errors.ts';
import type { LockedPackage } from '../locked-package.ts';
import { applyTextEdits, editStringMember, type TextEdit } from './json-edit.ts';
import { type JsonSpan, JsonSyntaxError, jsonDepthMax, parseJsonSpans } from './json-spans.ts';
import { createLockSections } from './lock-sections.ts';
import { readPackageLock } from './package-lock.ts';

/** Where a locked package shall come from. */
export interface LockRedirection {
  readonly resolved: string;
  readonly integrity: string;
}

type RefusalReason = 'absent' | 'link' | 'bundled' | 'not_from_registry';

/** An entry that cannot be redirected; nothing of the lockfile is changed then. */
export class LockRedirectError extends Error {
  readonly fileName: string;
  readonly path: string;
  readonly reason: RefusalReason;

  constructor(fileName: string, path: string, reason: RefusalReason) {
    super(`${fileName}: ${path} cannot be redirected: ${refusals[reason]}.`);
    this.name = 'LockRedirectError';
    this.fileName = fileName;
    this.path = path;
    this.reason = reason;
  }
}

const refusals: Readonly<Record<RefusalReason, string>> = {
  absent: 'the lockfile has no such entry',
  link: 'it is a link or a workspace, not a package',
  bundled: 'it is bundled in the tarball of another package',
  not_from_registry: 'it comes from a git repository, a file or another address, not from a registry',
};

/**
 * Sets `resolved` and `integrity` of the entries at these lock paths and keeps every other byte of the file, so that the
 * locked version still satisfies the range and npm installs the other tarball. In lockfileVersion 2 both sections are
 * kept in step. `changed` lists the paths whose entries differed. Throws ManifestError or LockRedirectError.
 */
export function redirectLockedPackages(
  text: string,
  fileName: string,
  redirects: ReadonlyMap<string, LockRedirection>,
): { text: string; changed: string[] } {
  const lock = readPackageLock(text, fileName);
  const packageAt = new Map(lock.packages.map((entry) => [entry.path, entry]));
  const sections = createLockSections(text, lock.lockfileVersion, spansOf(text, fileName));
  const edits: TextEdit[] = [];
  const changed: string[] = [];
  for (const [path, redirection] of redirects) {
    const entries = sections.entriesAt(path);
    const refusal = refusalOf(packageAt.get(path), entries);
    if (refusal !== null) throw new LockRedirectError(fileName, path, refusal);
    const entryEdits = entries.flatMap((entry) => editsOfEntry(text, entry, redirection));
    if (entryEdits.length > 0) changed.push(path);
    edits.push(...entryEdits);
  }
  return { text: applyTextEdits(text, edits), changed };
}

function refusalOf(entry: LockedPackage | undefined, spans: readonly JsonSpan[]): RefusalReason | null {
  if (entry === undefined) return spans.length === 0 ? 'absent' : 'link';
  if (entry.isBundled) return 'bundled';
  return entry.source === 'registry' ? null : 'not_from_registry';
}

function editsOfEntry(text: string, entry: JsonSpan, { resolved, integrity }: LockRedirection): TextEdit[] {
  const edits = [
    editStringMember(text, entry, { key: 'resolved', value: resolved, after: ['version'] }),
    editStringMember(text, entry, { key: 'integrity', value: integrity, after: ['version', 'resolved'] }),
  ];
  return edits.filter((edit) => edit !== null);
}

function spansOf(text: string, fileName: string): JsonSpan {
  try {
    return parseJsonSpans(text);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    // The lockfile was read before, so this is JSON and the depth is all that can be wrong.
    throw new ManifestError(fileName, `it nests over ${jsonDepthMax} levels deep`, { cause: error });
  }
}
