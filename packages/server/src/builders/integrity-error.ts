/** The bytes that upstream sent are not those whose digest it publishes; nothing may use them. */
export class IntegrityError extends Error {
  /** Subresource-integrity strings or hex digests, as upstream publishes them; null when it publishes none. */
  readonly expected: string | null;
  readonly actual: string;

  constructor(subject: string, { expected, actual }: { expected: string | null; actual: string }) {
    super(
      expected === null
        ? `${subject}: upstream publishes no digest`
        : `${subject}: the digest is not the published one`,
    );
    this.name = 'IntegrityError';
    this.expected = expected;
    this.actual = actual;
  }
}
