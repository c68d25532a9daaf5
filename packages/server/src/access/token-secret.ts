import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const prefix = 'ssm_';
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const secretBytes = 32;
const secretDigits = 43;
const checksumDigits = 6;
const shape = new RegExp(`^${prefix}[0-9A-Za-z]{${secretDigits + checksumDigits}}$`);

/** `ssm_`, 32 random bytes in base 62, and a CRC-32 that lets scanners and the service tell a token from noise. */
export function createTokenSecret(): string {
  const body = base62(BigInt(`0x${randomBytes(secretBytes).toString('hex')}`), secretDigits);
  return prefix + body + checksumOf(body);
}

/** Whether the text can be a token at all; most wrong ones end here, before the database. */
export function isTokenSecret(text: string): boolean {
  if (!shape.test(text)) return false;
  const body = text.slice(prefix.length, -checksumDigits);
  return text.endsWith(checksumOf(body));
}

/** What is stored of a token: 256 random bits need no salt and no slow hash. */
export function hashTokenSecret(secret: string): string {
  return hash('sha256', secret, 'hex');
}

function checksumOf(body: string): string {
  return base62(BigInt(crc32(body)), checksumDigits);
}

function base62(value: bigint, digits: number): string {
  let rest = value;
  let text = '';
  const base = BigInt(alphabet.length);
  for (let digit = 0; digit < digits; digit++) {
    text = alphabet.charAt(Number(rest % base)) + text;
    rest /= base;
  }
  return text;
}
