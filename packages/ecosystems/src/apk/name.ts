import { InvalidNameError } from '../errors.ts';

/** With regard to case: Alpine has a package `R`. */
export function normalizeApkName(name: string): string {
  if (name.length > 512) throw new InvalidNameError('apk', name, 'it has over 512 characters');
  if (!/^[a-z0-9][a-z0-9._+-]*$/i.test(name) || name.includes('..')) {
    throw new InvalidNameError('apk', name, 'it holds a character that has no place in an Alpine package name');
  }
  return name;
}
