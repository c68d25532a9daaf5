import { expect, test } from 'vitest';
import { replaceManifestVersion } from './manifest-version.ts';

const replace = (text: string) => replaceManifestVersion(Buffer.from(text), '1.0.0-sp1')?.toString() ?? null;

test.each([
  ['tabs and blanks', '{\n\t"name" : "a",\n\t"version" :  "1.0.0" ,\n\t"x": 1\n}'],
  ['CRLF and a byte order mark', '\uFEFF{\r\n  "version": "1.0.0"\r\n}\r\n'],
  ['one line', '{"version":"1.0.0"}'],
  [
    'the word elsewhere',
    '{"a":"version","b":["version","1.0.0x"],"config":{"version":"2"},"version":"1.0.0","c":{"version":"3"}}',
  ],
  ['quotes in other values', '{"description":"say \\"version\\": \\"9\\" \\\\","version":"1.0.0"}'],
  ['names that are not ASCII', '{"author":"Ünal 日本","version":"1.0.0"}'],
])('only the package’s own version changes: %s', (_name, text) => {
  expect(replace(text)).toBe(text.replace('"1.0.0"', '"1.0.0-sp1"'));
});

test('a key that is spelled with an escape is the same key', () => {
  expect(replace('{"\\u0076ersion":"1.0.0"}')).toBe('{"\\u0076ersion":"1.0.0-sp1"}');
});

test('bytes that are not UTF-8 are kept', () => {
  const before = Buffer.from('{"author":"\xe9","version":"1.0.0"}', 'latin1');
  expect(replaceManifestVersion(before, '2.0.0')?.toString('latin1')).toBe('{"author":"\xe9","version":"2.0.0"}');
});

test.each(['{}', '{"version":1}', '{"version":"1","version":"2"}', '["version"]', '{"version":"1.0.0"', ''])(
  'a manifest without one version is not edited: %s',
  (text) => expect(replace(text)).toBeNull(),
);
