import { type ErrorCode, errorCodes, type Problem } from '@sealsmith/contract';
import type { FastifyError } from 'fastify';
import { AppError } from '../app-error.ts';

/** What Fastify refuses by itself, in our codes. */
const fastifyCodes: Record<string, { code: ErrorCode; detail: string }> = {
  FST_ERR_CTP_BODY_TOO_LARGE: { code: 'payload_too_large', detail: 'The body is larger than this endpoint accepts.' },
  FST_ERR_CTP_EMPTY_JSON_BODY: { code: 'malformed_request', detail: 'The body is empty; it must be JSON.' },
  FST_ERR_CTP_INVALID_JSON_BODY: { code: 'malformed_request', detail: 'The body is not valid JSON.' },
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: { code: 'malformed_request', detail: 'The body is not as long as announced.' },
  FST_ERR_CTP_INVALID_MEDIA_TYPE: {
    code: 'unsupported_media_type',
    detail: 'This endpoint does not read that media type.',
  },
  FST_ERR_BAD_URL: { code: 'malformed_request', detail: 'The path cannot be decoded.' },
};

/** Turns whatever was thrown into an expected failure; what nobody foresaw is a bug, whose text stays inside. */
export function toAppError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  const { code, statusCode } = (thrown ?? {}) as Partial<FastifyError>;
  const known = code === undefined ? undefined : fastifyCodes[code];
  if (known) return new AppError(known.code, known.detail, { cause: thrown });
  if (statusCode === 400) return new AppError('malformed_request', 'The request cannot be read.', { cause: thrown });
  return new AppError('internal_error', 'The service failed to answer; the request id finds the cause in its log.', {
    cause: thrown,
  });
}

/** The RFC 9457 body of an error. */
export function problemOf(error: AppError, requestId: string): Problem {
  const { status, title } = errorCodes[error.code];
  return {
    type: `urn:sealsmith:problem:${error.code.replaceAll('_', '-')}`,
    title,
    status,
    detail: error.detail,
    code: error.code,
    request_id: requestId,
    ...(error.problems.length > 0 && { errors: [...error.problems] }),
  };
}

export function statusOf(error: AppError): number {
  return errorCodes[error.code].status;
}
