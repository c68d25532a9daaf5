import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ManifestError } from '../errors.ts';
import { LockRedirectError, type LockRedirection, redirectLockedPackages } from './lock-redirect.ts';
import { readPackageLock } from './package-lock.ts';

const read = (version: number) => readFileSync(new URL(`testdata/lock-v${version}.json`, import.meta.url), 'utf8');
const [lockV1, lockV2, lockV3] = [read(1), read(2), read(3)];

const sealed: LockRedirection = {
  resolved: 'https://artifacts.example/npm/inner/-/inner-2.0.1-sp1.tgz',
  integrity: 'sha512-sealed+/==',
};

function redirect(text: string, ...paths: string[]) {
  return redirectLockedPackages(text, 'package-lock.json', new Map(paths.map((path) => [path, sealed])));
}

describe('the text around the two values stays as it is', () => {
  const inner = 'node_modules/outer/node_modules/inner';
  const reworked = (text: string) =>
    text
      .replaceAll('https://registry.example/inner/-/inner-2.0.1.tgz', sealed.resolved)
      .replaceAll('sha512-inner2==', sealed.integrity);
  const styles: [string, (text: string) => string][] = [
    ['two blanks', (text) => text],
    ['four blanks', (text) => JSON.stringify(JSON.parse(text), null, 4)],
    ['tabs', (text) => `${JSON.stringify(JSON.parse(text), null, '\t')}\n`],
    ['CRLF', (text) => text.replaceAll('\n', '\r\n')],
    ['no final newline', (text) => text.trimEnd()],
    ['two final newlines', (text) => `${text}\n`],
    ['a byte order mark', (text) => `\uFEFF${text}`],
    ['a single line', (text) => JSON.stringify(JSON.parse(text))],
    ['blanks before colons', (text) => text.replaceAll('": ', '" :  ')],
  ];

  test.each(styles)('with %s', (_, style) => {
    const text = style(lockV2);
    const result = redirect(text, inner);
    expect(result.text).toBe(reworked(text));
    expect(result.text).not.toBe(text);
    expect(result.changed).toEqual([inner]);
  });

  test.each(styles)('and a second run changes nothing more, with %s', (_, style) => {
    const { text } = redirect(style(lockV2), inner, 'packages/cart/node_modules/inner');
    expect(redirect(text, inner, 'packages/cart/node_modules/inner')).toEqual({ text, changed: [] });
  });

  test('and escapes that nobody asked to change stay too', () => {
    const text = lockV2.replace('"license": "MIT"', '"license": "\\u004dIT \\/"');
    expect(redirect(text, inner).text).toBe(reworked(text));
  });
});

test('both sections of version 2 are kept in step, also for a package inside a workspace', () => {
  const path = 'packages/cart/node_modules/inner';
  const result = JSON.parse(redirect(lockV2, path).text);
  expect(result.packages[path]).toEqual({ version: '1.9.0', ...sealed });
  expect(result.dependencies['@shop/cart'].dependencies.inner).toEqual({ version: '1.9.0', ...sealed });
  expect(result.dependencies.outer).toEqual(JSON.parse(lockV2).dependencies.outer);
});

test('a missing value is added where npm writes it, in the style of the file', () => {
  const before = '      "version": "1.9.0",\n      "integrity": "sha512-inner1=="\n';
  const after = `      "version": "1.9.0",\n      "resolved": "${sealed.resolved}",\n      "integrity": "${sealed.integrity}"\n`;
  expect(lockV2).toContain(before);
  const { text } = redirect(lockV2, 'packages/cart/node_modules/inner');
  expect(text).toContain(after);
  const bare = '{"lockfileVersion":3,"packages":{"node_modules/a":{"version":"1.0.0","dev":true}}}';
  const values = `"resolved":"${sealed.resolved}","integrity":"${sealed.integrity}"`;
  expect(redirect(bare, 'node_modules/a').text).toBe(bare.replace('"1.0.0",', `"1.0.0",${values},`));
});

test('versions 1 and 3 have one section, and several entries change at once', () => {
  const paths = ['node_modules/shared', 'node_modules/app-core/node_modules/shared', 'node_modules/circle-a'];
  const first = redirect(lockV1, ...paths);
  expect(first.changed).toEqual(paths);
  const { dependencies } = JSON.parse(first.text);
  for (const entry of [dependencies.shared, dependencies['app-core'].dependencies.shared, dependencies['circle-a']]) {
    expect(entry).toMatchObject(sealed);
  }
  const third = JSON.parse(redirect(lockV3, 'node_modules/old').text);
  expect(third.packages['node_modules/old']).toEqual({ name: 'moment-like', version: '2.29.0', ...sealed });
});

test('the reader finds the new values, and everything else as before', () => {
  const paths = ['node_modules/range', 'packages/cart/node_modules/lonely'];
  const { packages } = readPackageLock(redirect(lockV3, ...paths).text, 'package-lock.json');
  const expected = readPackageLock(lockV3, 'package-lock.json').packages.map((entry) =>
    paths.includes(entry.path) ? { ...entry, ...sealed } : entry,
  );
  expect(packages).toEqual(expected);
});

test('no redirections, no change', () => {
  expect(redirect(lockV2)).toEqual({ text: lockV2, changed: [] });
});

describe('refused by name', () => {
  test.each([
    [lockV3, 'node_modules/bundler/node_modules/packed', 'bundled'],
    [lockV3, 'node_modules/@shop/cart', 'link'],
    [lockV3, 'packages/cart', 'link'],
    [lockV3, '', 'link'],
    [lockV3, 'node_modules/fork', 'not_from_registry'],
    [lockV3, 'node_modules/remote', 'not_from_registry'],
    [lockV3, 'node_modules/none', 'absent'],
    [lockV3, '__proto__', 'absent'],
    [lockV2, 'node_modules/outer/node_modules/packed', 'bundled'],
    [lockV2, 'node_modules/fork', 'not_from_registry'],
    [lockV1, 'node_modules/pack/node_modules/inner', 'bundled'],
    [lockV1, 'node_modules/local', 'link'],
    [lockV1, 'node_modules/from-git', 'not_from_registry'],
    [lockV1, 'node_modules/deep/node_modules/shared', 'absent'],
  ])('%#: %s', (text, path, reason) => {
    const run = () => redirect(text, path);
    expect(run).toThrow(LockRedirectError);
    expect(run).toThrow(expect.objectContaining({ path, reason, fileName: 'package-lock.json' }));
  });

  test('and what cannot be read is a ManifestError', () => {
    expect(() => redirect('{', 'node_modules/a')).toThrow(ManifestError);
    const deep = `{"lockfileVersion":3,"packages":{},"x":${'['.repeat(500)}${']'.repeat(500)}}`;
    expect(() => redirect(deep)).toThrow(ManifestError);
  });
});

test('of two entries with one key the last is read and the last is changed', () => {
  const entry = (integrity: string) => `"node_modules/a":{"version":"1.0.0","resolved":"r","integrity":"${integrity}"}`;
  const text = `{"lockfileVersion":3,"packages":{${entry('first')},${entry('last')}}}`.replaceAll(
    '"r"',
    '"https://r.example/a"',
  );
  const { text: changed } = redirect(text, 'node_modules/a');
  expect(changed).toContain('first');
  expect(readPackageLock(changed, 'l').packages).toMatchObject([sealed]);
});

test('any values survive the way into the text and back', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string(), (tail, integrity) => {
      const redirection = { resolved: `https://artifacts.example/${tail}`, integrity };
      const path = 'node_modules/range';
      const { text } = redirectLockedPackages(lockV3, 'package-lock.json', new Map([[path, redirection]]));
      expect(JSON.parse(text).packages[path]).toMatchObject(redirection);
      expect(text.length - lockV3.length).toBe(
        JSON.stringify(redirection.resolved).length +
          JSON.stringify(integrity).length -
          JSON.stringify('https://registry.example/range/-/range-1.5.0.tgz').length -
          JSON.stringify('sha512-range').length,
      );
    }),
  );
});
