import { createHash } from 'node:crypto';
import ssri from 'ssri';

/** The digest by which upstream vouches for an artifact's bytes. */
export interface PublishedDigest {
  algorithm: (typeof algorithms)[number];
  /** In hexadecimal; the bytes have one of them. */
  values: readonly string[];
}

export class DigestMismatchError extends Error {
  constructor({ algorithm, values }: PublishedDigest, actual: string) {
    super(`expected ${algorithm} ${values.join(' or ')}, received ${actual}`);
    this.name = 'DigestMismatchError';
  }
}

/** Strongest first. */
const algorithms = ['sha512', 'sha384', 'sha256', 'sha1'] as const;

/** The strongest digest that is published; null when there is none to check the bytes by. */
export function publishedDigestOf(dist: {
  integrity?: string | null | undefined;
  shasum?: string | null | undefined;
}): PublishedDigest | null {
  const hashes = Object.values(ssri.parse(dist.integrity ?? '') ?? {}).flat();
  for (const algorithm of algorithms) {
    const values = hashes
      .filter((hash) => hash.algorithm === algorithm)
      .map((hash) => Buffer.from(hash.digest, 'base64').toString('hex'));
    if (values.length > 0) return { algorithm, values };
  }
  const shasum = dist.shasum?.toLowerCase() ?? '';
  return /^[0-9a-f]{40}$/.test(shasum) ? { algorithm: 'sha1', values: [shasum] } : null;
}

/** One text for one digest. */
export function digestKey({ algorithm, values }: PublishedDigest): string {
  return `${algorithm}-${values.join('.')}`;
}

/** Passes the bytes on and throws `DigestMismatchError` in place of their end when they are others. */
export async function* checkedBytes(
  bytes: AsyncIterable<Uint8Array>,
  digest: PublishedDigest,
): AsyncGenerator<Uint8Array> {
  const hash = createHash(digest.algorithm);
  for await (const chunk of bytes) {
    hash.update(chunk);
    yield chunk;
  }
  const actual = hash.digest('hex');
  if (!digest.values.includes(actual)) throw new DigestMismatchError(digest, actual);
}
