/** One record of a source before it is understood, or what went wrong there; `name` says where in the source it stands. */
export type SourceValue = { name: string; value: unknown } | { name: string; problem: string };

/** What a source may cost. Every limit ends in a problem that names it, never in silence. */
export interface SourceLimits {
  /** Of one record in a list, line or zip entry. */
  recordBytesMax: number;
  /** Of one YAML document: far lower, because reading YAML takes time that grows with its nesting. */
  yamlBytesMax: number;
  /** Files of a folder, entries of a zip. */
  entriesMax: number;
  /** Of all entries of one zip together. */
  unpackedBytesMax: number;
  folderDepthMax: number;
}

export const sourceLimits: Readonly<SourceLimits> = {
  recordBytesMax: 16 * 1024 ** 2,
  yamlBytesMax: 1024 ** 2,
  entriesMax: 2_000_000,
  unpackedBytesMax: 8 * 1024 ** 3,
  folderDepthMax: 64,
};

export type Bytes = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
