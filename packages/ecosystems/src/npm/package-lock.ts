import type { LockedPackages } from '../locked-package.ts';
import { failure, type LockDocument, memberKey, openLockDocument, textAt, toLockDocument } from './lock-document.ts';
import { packagesOfTree } from './lock-tree.ts';
import { treeOfDependencies } from './lock-tree-dependencies.ts';
import { treeOfPackages } from './lock-tree-packages.ts';

export interface PackageLock extends LockedPackages {
  readonly lockfileVersion: 1 | 2 | 3;
}

/**
 * Reads a package-lock.json or npm-shrinkwrap.json whole, or throws ManifestError. Links and workspaces are no packages;
 * what they require is direct. A lockfile of version 1 does not record what is direct: there a top-level package counts
 * as direct when no other package requires it.
 */
export function readPackageLock(text: string, fileName: string): PackageLock {
  return packageLockOf(openLockDocument(text, fileName));
}

/** Like `readPackageLock`, for a lockfile whose JSON is parsed already. */
export function readParsedPackageLock(value: unknown, fileName: string): PackageLock {
  return packageLockOf(toLockDocument(value, fileName));
}

function packageLockOf(document: LockDocument): PackageLock {
  const lockfileVersion = versionOf(document);
  const tree = lockfileVersion === 1 ? treeOfDependencies(document) : treeOfPackages(document);
  return { lockfileVersion, projectName: projectNameOf(document), packages: packagesOfTree(document, tree) };
}

function versionOf(document: LockDocument): 1 | 2 | 3 {
  const version = document.root.lockfileVersion;
  if (version === 1 || version === 2 || version === 3) return version;
  if (typeof version === 'number' && version > 3) {
    throw failure(
      document,
      'lockfileVersion',
      `version ${version} is newer than those that are read, which are 1, 2 and 3`,
    );
  }
  throw failure(document, 'lockfileVersion', 'it is missing or none of 1, 2 and 3');
}

function projectNameOf(document: LockDocument): string | null {
  return textAt(document, document.root, memberKey('', 'name'));
}
