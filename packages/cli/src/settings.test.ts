import { describe, expect, test } from 'vitest';
import { CliError } from './cli-error.ts';
import { projectNameFrom, readSettings } from './settings.ts';

const token = 'ssm_secret';

describe('SEALSMITH_URL', () => {
  test.each([
    [undefined, 'http://127.0.0.1:8080'],
    ['', 'http://127.0.0.1:8080'],
    ['https://seal.example/', 'https://seal.example'],
    ['https://seal.example:8443/authenticated/api/v1', 'https://seal.example:8443'],
    ['https://seal.example/authenticated/api/v1/', 'https://seal.example'],
    ['https://seal.example/below/authenticated/api/v1/', 'https://seal.example/below'],
    [' https://seal.example/below// ', 'https://seal.example/below'],
  ])('%s is %s', (url, serverUrl) => {
    const env = { SEALSMITH_TOKEN: token, ...(url !== undefined && { SEALSMITH_URL: url }) };
    expect(readSettings(env)).toEqual({ serverUrl, token });
  });

  test.each(['seal.example', 'ftp://seal.example', 'https://a:b@seal.example', 'https://seal.example/?x=1', 'http://'])(
    '%s is refused without repeating it',
    (url) => {
      const error = errorOf(() => readSettings({ SEALSMITH_URL: url, SEALSMITH_TOKEN: token }));
      expect(error).toMatchObject({ kind: 'usage' });
      expect(String(error)).not.toContain('a:b');
    },
  );
});

test('a token that no header can carry is refused without showing it', () => {
  const error = errorOf(() => readSettings({ SEALSMITH_TOKEN: 'top\nsecret' }));
  expect(error).toMatchObject({ kind: 'usage' });
  expect(String(error)).not.toContain('secret');
});

describe('the project name', () => {
  const named = (option: string | undefined, env: Record<string, string>, ...fallbacks: (string | null)[]) =>
    projectNameFrom({ option, env, fallbacks });

  test('is what the option says, else the variable, else the first fallback that can be made valid', () => {
    expect(named('a', { SEALSMITH_PROJECT: 'b' }, 'c')).toBe('a');
    expect(named(undefined, { SEALSMITH_PROJECT: 'b' }, 'c')).toBe('b');
    expect(named(undefined, { SEALSMITH_PROJECT: '' }, '@acme/web shop', 'folder')).toBe('acme-web-shop');
    expect(named(undefined, {}, null, '..', '@@', 'folder')).toBe('folder');
    expect(named(undefined, {}, 'x'.repeat(300))).toHaveLength(255);
  });

  test('is never changed when somebody gave it: an invalid one is refused', () => {
    expect(errorOf(() => named('a/b', {}, 'c'))).toBeInstanceOf(CliError);
    expect(String(errorOf(() => named(undefined, { SEALSMITH_PROJECT: 'a b' }, 'c')))).toContain('SEALSMITH_PROJECT');
    expect(errorOf(() => named(undefined, {}, '..'))).toMatchObject({ kind: 'usage' });
  });
});

function errorOf(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}
