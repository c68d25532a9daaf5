import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { AppError } from '../app-error.ts';
import { noQuery, parse, queryParser } from './input.ts';

const schema = z.object({
  text: z.string().optional(),
  limit: z.int('must be an integer').min(1, 'must be at least 1').max(200, 'must be at most 200').default(100),
  is_hidden: z.boolean('must be true or false').default(false),
});
const read = queryParser(schema);

function refusalOf(work: () => unknown): AppError {
  try {
    work();
  } catch (error) {
    return error as AppError;
  }
  throw new Error('this is not refused');
}

describe('a query', () => {
  test('is read by its schema: numbers and truth values are texts that are exactly that', () => {
    expect(read({})).toEqual({ limit: 100, is_hidden: false });
    expect(read({ text: '1', limit: '200', is_hidden: 'true' })).toEqual({ text: '1', limit: 200, is_hidden: true });
    expect(read({ text: '' })).toMatchObject({ text: '' });
  });

  test.each(['', ' 1', '1.0', '1e1', '0x1', '+1', '１', 'NaN', '9'.repeat(16), 'Infinity'])(
    'the limit %j is no integer',
    (limit) => {
      expect(refusalOf(() => read({ limit }))).toMatchObject({
        code: 'invalid_parameter',
        detail: 'The parameter "limit" must be an integer.',
        problems: [{ location: 'query', name: 'limit', message: 'must be an integer' }],
      });
    },
  );

  test.each(['', '1', 'yes', 'TRUE'])('the truth value %j is none', (value) => {
    expect(refusalOf(() => read({ is_hidden: value })).detail).toBe('The parameter "is_hidden" must be true or false.');
  });

  test('a parameter that is unknown or repeated is refused, by its name', () => {
    expect(refusalOf(() => read({ limits: '1' })).detail).toBe(
      'The parameter "limits" is unknown; allowed are text, limit, is_hidden.',
    );
    expect(refusalOf(() => read({ text: ['a', 'a'] })).detail).toBe('The parameter "text" is given more than once.');
    expect(refusalOf(() => noQuery({ a: '1' })).detail).toBe('The parameter "a" is unknown; this endpoint has none.');
  });

  test('names of the language itself are unknown parameters', () => {
    for (const name of ['__proto__', 'constructor', 'toString']) {
      const query = Object.defineProperty({}, name, { value: '1', enumerable: true });
      expect(refusalOf(() => read(query)).code, name).toBe('invalid_parameter');
    }
  });

  test('a name without end is cut in the answer', () => {
    expect(refusalOf(() => read({ ['x'.repeat(10_000)]: '1' })).detail.length).toBeLessThan(300);
  });
});

describe('a body', () => {
  const body = z.strictObject({ name: z.string().min(1), tags: z.array(z.string()).max(2), count: z.int().optional() });

  test('what is missing is required; what is there in another type is told what it must be', () => {
    const refusal = refusalOf(() => parse(body, { name: 1, tags: 'a', count: '1' }, 'body'));
    expect(refusal.problems.map(({ name, message }) => `${name} ${message}`)).toEqual([
      'name must be a string',
      'tags must be a list',
      'count must be a number',
    ]);
    expect(refusal.detail).toBe('The field "name" must be a string.');
    expect(refusalOf(() => parse(body, { tags: [] }, 'body')).detail).toBe('The field "name" is required.');
  });

  test('every problem is reported at once, where it stands', () => {
    const refusal = refusalOf(() => parse(body, { name: '', tags: ['a', 1], other: 1, more: 2 }, 'body'));
    expect(refusal.problems.map(({ name }) => name)).toEqual(expect.arrayContaining(['name', 'tags.1', '']));
    expect(refusal.problems.find(({ name }) => name === '')?.message).toBe('has unknown fields: other, more');
  });

  test('what is no object at all is told so', () => {
    expect(refusalOf(() => parse(body, [], 'body')).detail).toBe('The body must be an object.');
    expect(refusalOf(() => parse(body, null, 'body')).detail).toBe('The body must be an object.');
  });

  test('sizes are told in words', () => {
    const refusal = refusalOf(() => parse(body, { name: '', tags: ['a', 'b', 'c'] }, 'body'));
    expect(refusal.problems.map(({ message }) => message)).toEqual([
      'must have a length of at least 1',
      'must have a number of items of at most 2',
    ]);
  });
});
