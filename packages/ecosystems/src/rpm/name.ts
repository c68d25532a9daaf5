import { InvalidNameError } from '../errors.ts';

/** With regard to case, as rpm compares names. */
export function normalizeRpmName(name: string): string {
  if (name.length > 512) throw new InvalidNameError('rpm', name, 'it has over 512 characters');
  if (!/^\w[\w.+-]*$/.test(name) || name.includes('..')) {
    throw new InvalidNameError('rpm', name, 'it holds a character that has no place in an RPM name');
  }
  return name;
}
