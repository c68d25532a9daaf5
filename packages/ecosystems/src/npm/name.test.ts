import { expect, test } from 'vitest';
import { InvalidNameError } from '../errors.ts';
import { normalizeNpmName } from './name.ts';

test.each(['lodash', '@babel/core', 'JSONStream', 'jsonstream', 'a.b', 'socket.io', '@scope/_private', '@_scope/x'])(
  'a name that is published keeps its spelling and its case: %s',
  (name) => {
    expect(normalizeNpmName(name)).toBe(name);
  },
);

test.each(["old!~*'()", 'constructor', 'hasOwnProperty', 'a'.repeat(214)])(
  'an unusual but valid name passes: %s',
  (name) => {
    expect(normalizeNpmName(name)).toBe(name);
  },
);

test.each(
  [
    ['', '.', '..', '../x', '@s/..', '@../x', '@/x', '@s/', '@s', 'a/b', '@s/a/b', '/a', 'a/'],
    ['.hidden', '_private', '@s/.hidden', '__proto__', 'a%2fb', 'a b', ' a', 'a\\b', 'a:b', 'a?b', 'ä', 'a\n', 'a\0'],
    ['node_modules', 'favicon.ico', '<ANY>', 'a'.repeat(215)],
  ].flat(),
)('a name that could leave its place in a path or URL is refused: %j', (name) => {
  expect(() => normalizeNpmName(name)).toThrow(InvalidNameError);
});
