import { expect, test } from 'vitest';
import { createTokenSecret, hashTokenSecret, isTokenSecret } from './token-secret.ts';

test('a token has the shape that secret scanners look for, and is never the same', () => {
  const secrets = Array.from({ length: 200 }, createTokenSecret);
  for (const secret of secrets) {
    expect(secret).toMatch(/^ssm_[0-9A-Za-z]{49}$/);
    expect(isTokenSecret(secret)).toBe(true);
  }
  expect(new Set(secrets).size).toBe(secrets.length);
});

test('one changed character is noticed by the checksum, wherever it is', () => {
  const secret = createTokenSecret();
  for (let index = 4; index < secret.length; index++) {
    const other = secret[index] === 'a' ? 'b' : 'a';
    expect(isTokenSecret(secret.slice(0, index) + other + secret.slice(index + 1)), `at ${index}`).toBe(false);
  }
});

test('two characters that changed places are noticed', () => {
  const secret = `ssm_${'0'.repeat(48)}1`;
  expect(isTokenSecret(secret)).toBe(false);
});

test('what only looks like a token is none', () => {
  const secret = createTokenSecret();
  for (const text of [
    '',
    'ssm_',
    secret.slice(0, -1),
    `${secret}0`,
    ` ${secret}`,
    `${secret}\n`,
    secret.replace('ssm_', 'SSM_'),
  ]) {
    expect(isTokenSecret(text), JSON.stringify(text)).toBe(false);
  }
});

test('what is stored does not tell the token', () => {
  const secret = createTokenSecret();
  expect(hashTokenSecret(secret)).toMatch(/^[0-9a-f]{64}$/);
  expect(hashTokenSecret(secret)).not.toBe(hashTokenSecret(createTokenSecret()));
});
