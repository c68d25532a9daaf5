import type { ErrorCode } from '@sealsmith/contract';

/** The codes with which any endpoint may refuse; tests/api/every-endpoint.test.ts covers them for each. */
export const commonCodes = [
  'unauthorized',
  'forbidden',
  'rate_limited',
  'internal_error',
  'invalid_parameter',
  'payload_too_large',
  'unsupported_media_type',
  'malformed_request',
  'idempotency_key_in_use',
  'idempotency_key_reused',
] as const satisfies ErrorCode[];

export type CommonCode = (typeof commonCodes)[number];
