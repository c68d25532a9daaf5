import { InvalidNameError } from '../errors.ts';

/** Debian Policy 5.6.1: lower case letters, digits, `+`, `-` and `.`, two characters or more. */
export function normalizeDebName(name: string): string {
  if (name.length > 512) throw new InvalidNameError('deb', name, 'it has over 512 characters');
  if (!/^[a-z0-9][a-z0-9+.-]+$/.test(name)) {
    throw new InvalidNameError('deb', name, 'it holds more than lower case letters, digits, plus, dash and dot');
  }
  return name;
}
