/** One patch: what a commit changes, file by file, in the order in which it says so. */
export interface PatchFile {
  /** The mail's subject without its `[PATCH n/m]`, or the first line above the diff; may be empty. */
  subject: string;
  /** What stands above the diff, without mail headers and without the diffstat. */
  message: string;
  files: readonly FilePatch[];
}

export interface FilePatch {
  /** Relative paths with `/`, without the `a/` and `b/` of the diff; null where the file does not exist on that side. */
  oldPath: string | null;
  newPath: string | null;
  kind: 'modify' | 'create' | 'delete' | 'rename';
  hunks: readonly Hunk[];
  /** The change is one of bytes that the patch does not spell as lines. */
  isBinary: boolean;
  /** Git's octal file mode where the patch sets one: `100644` or `100755`. */
  newMode?: string;
}

/** Line numbers are 1-based; a side of no lines names the line before it, as in the format itself. */
export interface Hunk {
  oldStart: number;
  oldLines: number;
  newStart: number;
  newLines: number;
  lines: readonly HunkLine[];
}

export interface HunkLine {
  kind: 'context' | 'removed' | 'added';
  /** Without its line feed; a carriage return before that belongs to the text. */
  text: string;
  hasNewline: boolean;
}
