import type { Readable } from 'node:stream';

export interface BlobRange {
  /** First byte, inclusive. */
  start: number;
  /** Last byte, inclusive. */
  end: number;
}

/** Bytes by their SHA-256. A blob is there whole or not at all, and never changes. */
export interface BlobStore {
  /** Stores the bytes durably before it returns. @returns their SHA-256 in hex */
  put(bytes: Uint8Array): Promise<string>;
  /** @throws BlobMissingError */
  open(sha256: string, range?: BlobRange): Promise<Readable>;
  /** @throws BlobMissingError */
  read(sha256: string): Promise<Buffer>;
}

export class BlobMissingError extends Error {
  constructor(sha256: string, options?: ErrorOptions) {
    super(`there is no blob ${sha256}`, options);
    this.name = 'BlobMissingError';
  }
}
