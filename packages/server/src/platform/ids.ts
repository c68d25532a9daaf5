import { randomBytes } from 'node:crypto';
import type { Clock } from './clock.ts';

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const timeDigits = 10;
const randomDigits = 16;

/** A ULID in lower case: sorts by creation time (milliseconds), 80 random bits behind it. */
export function createId(clock: Clock): string {
  let time = clock.now().getTime();
  let text = '';
  for (let digit = 0; digit < timeDigits; digit++) {
    text = alphabet.charAt(time % alphabet.length) + text;
    time = Math.floor(time / alphabet.length);
  }
  for (const byte of randomBytes(randomDigits)) text += alphabet.charAt(byte % alphabet.length);
  return text;
}
