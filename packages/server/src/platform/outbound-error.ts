export type OutboundErrorKind =
  /** The address, or one it redirects to, is not a configured upstream. */
  | 'forbidden_target'
  | 'too_many_redirects'
  | 'too_large'
  | 'timed_out'
  /** The caller's own signal. */
  | 'aborted'
  | 'unreachable'
  /** The connection ended before the body did. */
  | 'interrupted';

/** An outgoing request that got no usable answer. The message names host and path only, never a query or credentials. */
export class OutboundError extends Error {
  readonly kind: OutboundErrorKind;

  constructor(kind: OutboundErrorKind, url: URL, problem: string, cause?: unknown) {
    super(`${url.origin}${url.pathname}: ${problem}`, { cause });
    this.name = 'OutboundError';
    this.kind = kind;
  }
}
