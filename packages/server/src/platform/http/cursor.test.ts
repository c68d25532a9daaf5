import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type CursorBinding, createCursorCodec } from './cursor.ts';

const codec = createCursorCodec(randomBytes(32));
const binding: CursorBinding = { tenantId: 1, list: 'sealing-rules', filters: { project: 'a', package: undefined } };

test('any position comes back as it was, in a text that needs no encoding in a URL', () => {
  const position = fc.array(fc.oneof(fc.maxSafeInteger(), fc.string({ unit: 'grapheme' })), {
    minLength: 1,
    maxLength: 3,
  });
  const property = fc.property(position, (values) => {
    const cursor = codec.encode(values, binding);
    expect(cursor).toMatch(/^[A-Za-z0-9_-]+$/);
    expect(codec.decode(cursor, binding)).toEqual(values);
  });
  fc.assert(property);
});

test.each<[string, CursorBinding]>([
  ['another tenant', { ...binding, tenantId: 2 }],
  ['another list', { ...binding, list: 'projects' }],
  ['another filter', { ...binding, filters: { project: 'b', package: undefined } }],
  ['one filter less', { ...binding, filters: { package: undefined } }],
  ['an empty filter instead of none', { ...binding, filters: { project: 'a', package: '' } }],
  ['a filter under another name', { ...binding, filters: { package: 'a', project: undefined } }],
])('a cursor is worth nothing for %s', (_, other) => {
  const cursor = codec.encode([7], binding);
  expect(() => codec.decode(cursor, other)).toThrow(expect.objectContaining({ code: 'invalid_cursor' }));
});

test('the order in which filters are named does not matter', () => {
  const cursor = codec.encode([7], { ...binding, filters: { a: 1, b: 2 } });
  expect(codec.decode(cursor, { ...binding, filters: { b: 2, a: 1 } })).toEqual([7]);
});

test('a cursor of another instance secret is refused', () => {
  const cursor = createCursorCodec(randomBytes(32)).encode([7], binding);
  expect(() => codec.decode(cursor, binding)).toThrow(expect.objectContaining({ code: 'invalid_cursor' }));
});

test('a cursor that was changed, cut or made up is refused, whatever it is', () => {
  const cursor = codec.encode([4_294_967_297], binding);
  for (let index = 0; index < cursor.length; index++) {
    const other = cursor[index] === 'A' ? 'B' : 'A';
    const forged = cursor.slice(0, index) + other + cursor.slice(index + 1);
    expect(() => codec.decode(forged, binding), `at ${index}`).toThrow(
      expect.objectContaining({ code: 'invalid_cursor' }),
    );
    expect(() => codec.decode(cursor.slice(0, index), binding)).toThrow(
      expect.objectContaining({ code: 'invalid_cursor' }),
    );
  }
  const property = fc.property(fc.oneof(fc.string({ unit: 'grapheme' }), fc.base64String()), (text) => {
    expect(() => codec.decode(text, binding)).toThrow(expect.objectContaining({ code: 'invalid_cursor' }));
  });
  fc.assert(property);
  for (const spelling of [
    `${cursor}=`,
    ` ${cursor}`,
    `${cursor}\n`,
    cursor.replaceAll('_', '/').replaceAll('-', '+').concat('=='),
  ]) {
    expect(() => codec.decode(spelling, binding)).toThrow(expect.objectContaining({ code: 'invalid_cursor' }));
  }
});
