import { type ErrorCode, errorCodes, problemSchema } from '@sealsmith/contract';
import { expect, test } from 'vitest';
import { AppError } from '../app-error.ts';
import { problemOf, statusOf, toAppError } from './errors.ts';

test('every code has one status and a body that its schema describes', () => {
  for (const [code, { status, title }] of Object.entries(errorCodes)) {
    const error = new AppError(code as ErrorCode, 'It went wrong.', { cause: new Error('inner') });
    const problem = problemOf(error, 'request-1');
    expect(statusOf(error)).toBe(status);
    expect(problemSchema.strict().parse(problem)).toMatchObject({ status, title, code, detail: 'It went wrong.' });
    expect(JSON.stringify(problem)).not.toContain('inner');
  }
});

test('what nobody foresaw is an internal error whose text stays inside', () => {
  for (const thrown of [
    new Error('select * from tokens'),
    'text',
    null,
    undefined,
    { statusCode: 418 },
    new TypeError('x'),
  ]) {
    const error = toAppError(thrown);
    expect(error.code).toBe('internal_error');
    expect(JSON.stringify(problemOf(error, 'r'))).not.toContain('tokens');
    expect(error.cause).toBe(thrown);
  }
});

test('what the HTTP server itself refuses has a code of ours', () => {
  const thrown = (code: string, statusCode = 400) => Object.assign(new Error('inner'), { code, statusCode });
  expect(toAppError(thrown('FST_ERR_CTP_BODY_TOO_LARGE', 413)).code).toBe('payload_too_large');
  expect(toAppError(thrown('FST_ERR_CTP_INVALID_MEDIA_TYPE', 415)).code).toBe('unsupported_media_type');
  expect(toAppError(thrown('FST_ERR_CTP_INVALID_JSON_BODY')).code).toBe('malformed_request');
  expect(toAppError(thrown('FST_ERR_OF_TOMORROW')).code).toBe('malformed_request');
  expect(toAppError(thrown('FST_ERR_OF_TOMORROW', 500)).code).toBe('internal_error');
});

test('an expected failure is passed on as it is', () => {
  const error = new AppError('not_found', 'There is none.');
  expect(toAppError(error)).toBe(error);
});
