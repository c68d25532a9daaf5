import { expect, test } from 'vitest';
import { createPassword, hashPassword, isPassword } from './password.ts';

test('a password is known again by its hash, and no other is', async () => {
  const password = createPassword();
  const stored = await hashPassword(password);

  expect(password).toMatch(/^[A-Za-z0-9_-]{24}$/);
  expect(stored).toMatch(/^scrypt\$131072\$8\$1\$[A-Za-z0-9_-]{22}\$[A-Za-z0-9_-]{43}$/);
  expect(await isPassword(password, stored)).toBe(true);
  expect(await isPassword(`${password}x`, stored)).toBe(false);
  expect(await isPassword('', stored)).toBe(false);
});

test('the same password is stored in another form each time', async () => {
  expect(await hashPassword('correct horse')).not.toBe(await hashPassword('correct horse'));
});

test('a hash of a scheme that is not known is a defect, never a wrong password', async () => {
  await expect(isPassword('x', 'md5$x')).rejects.toThrow('unknown scheme');
});
