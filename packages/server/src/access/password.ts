import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

const derive = promisify<string, Buffer, number, { N: number; r: number; p: number; maxmem: number }, Buffer>(scrypt);
const cost = { N: 2 ** 17, r: 8, p: 1 };
const keyBytes = 32;
const memoryBytesMax = 256 * 1024 * 1024;

/** 24 characters, 144 random bits. */
export function createPassword(): string {
  return randomBytes(18).toString('base64url');
}

/** `scrypt$N$r$p$salt$hash`, salt and hash in base64url. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const hash = await derive(password, salt, keyBytes, { ...cost, maxmem: memoryBytesMax });
  return ['scrypt', cost.N, cost.r, cost.p, salt.toString('base64url'), hash.toString('base64url')].join('$');
}

export async function isPassword(password: string, stored: string): Promise<boolean> {
  const [scheme, N, r, p, salt = '', hash = ''] = stored.split('$');
  if (scheme !== 'scrypt') throw new Error('the stored password is of an unknown scheme');
  const expected = Buffer.from(hash, 'base64url');
  const parameters = { N: Number(N), r: Number(r), p: Number(p), maxmem: memoryBytesMax };
  const actual = await derive(password, Buffer.from(salt, 'base64url'), expected.length, parameters);
  return timingSafeEqual(actual, expected);
}
