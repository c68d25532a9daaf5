/** One package that a lockfile installs, in the words that are the same for every ecosystem. */
export interface LockedPackage {
  /** The real package name; an alias shows only in `path`. */
  readonly name: string;
  /** A version of the ecosystem; for `source: 'other'` whatever the lockfile says, which may be a URL. */
  readonly version: string;
  /** Where the entry stands, for example `node_modules/a/node_modules/b`. */
  readonly path: string;
  readonly resolved: string | null;
  readonly integrity: string | null;
  /** Required by the project itself or by one of its workspaces. */
  readonly isDirect: boolean;
  readonly scope: 'prod' | 'dev' | 'optional' | 'peer';
  /**
   * Names along the shortest way from a direct dependency to this package, which is not itself in the list. Empty for a
   * direct dependency, and for a package that nothing in the lockfile requires.
   */
  readonly via: readonly string[];
  /** Shipped inside another package's tarball, so it cannot be replaced alone. */
  readonly isBundled: boolean;
  /** `other` is a git repository, a file or a tarball from elsewhere. */
  readonly source: 'registry' | 'other';
}

export interface LockedPackages {
  readonly projectName: string | null;
  readonly packages: readonly LockedPackage[];
}
