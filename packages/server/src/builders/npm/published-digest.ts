import { createHash } from 'node:crypto';
import ssri from 'ssri';
import { IntegrityError } from '../integrity-error.ts';

interface PublishedDigests {
  integrity?: string | null | undefined;
  /** sha1 in hexadecimal: all that old publications have. */
  shasum?: string | null | undefined;
}

/** Throws `IntegrityError` unless the bytes have the strongest digest that is published for them. */
export function verifyPublishedDigest(bytes: Buffer, { integrity, shasum }: PublishedDigests, subject: string): void {
  const published = ssri.parse(integrity ?? '', { strict: true });
  if (published !== null && published.toString() !== '') {
    if (ssri.checkData(bytes, published) === false) {
      throw new IntegrityError(subject, { expected: published.toString(), actual: sha512Of(bytes) });
    }
    return;
  }
  const actual = createHash('sha1').update(bytes).digest('hex');
  if (shasum?.toLowerCase() !== actual) throw new IntegrityError(subject, { expected: shasum ?? null, actual });
}

/** The digest as a subresource-integrity string. */
export function sha512Of(bytes: Buffer): string {
  return `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
}
