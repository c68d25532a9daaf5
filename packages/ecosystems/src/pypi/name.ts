import { InvalidNameError } from '../errors.ts';

/** PEP 503: lower case, and every run of `-`, `_` and `.` is one `-`. The characters are those of PEP 508. */
export function normalizePypiName(name: string): string {
  if (name.length > 512) throw new InvalidNameError('pypi', name, 'it has over 512 characters');
  if (!/^[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?$/i.test(name)) {
    const reason = 'it holds more than letters, digits, dots, dashes and underscores, or has one of these at an end';
    throw new InvalidNameError('pypi', name, reason);
  }
  return name.toLowerCase().replace(/[-_.]+/g, '-');
}
