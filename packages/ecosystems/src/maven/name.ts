import { InvalidNameError } from '../errors.ts';

/** `group:artifact`, with regard to case. */
export function normalizeMavenName(name: string): string {
  if (name.length > 512) throw new InvalidNameError('maven', name, 'it has over 512 characters');
  if (!/^[\w-]+(?:\.[\w-]+)*:[\w-]+(?:\.[\w-]+)*$/.test(name)) {
    throw new InvalidNameError('maven', name, 'it is not of the form group:artifact');
  }
  return name;
}
