import { InvalidNameError } from '../errors.ts';

const nameCharactersMax = 214;

/**
 * Gives a valid name back unchanged: names are compared with regard to case, because old packages such as `JSONStream`
 * exist beside a lower-case namesake. The characters are those that stand in a URL path as they are; some old names
 * hold `!`, `~`, `*`, `'`, `(` and `)`.
 */
export function normalizeNpmName(name: string): string {
  const refuse = (reason: string) => new InvalidNameError('npm', name, reason);
  if (name.length > nameCharactersMax) throw refuse(`it has over ${nameCharactersMax} characters`);
  const match = /^(?:@([^/]+)\/)?([^/]+)$/.exec(name);
  if (match === null) throw refuse('it is neither "name" nor "@scope/name"');
  const [, scope, base = ''] = match;
  for (const part of scope === undefined ? [base] : [scope, base]) {
    if (!/^[\w.!~*'()-]+$/.test(part)) throw refuse('it holds a character that has no place in a URL');
    if (part.startsWith('.')) throw refuse('it starts with a dot');
  }
  // Only a bare name is confined: `@scope/_name` is published and installs.
  if (scope === undefined && base.startsWith('_')) throw refuse('it starts with an underscore');
  if (scope === undefined && reservedNames.has(base.toLowerCase())) throw refuse('it is reserved');
  return name;
}

const reservedNames = new Set(['node_modules', 'favicon.ico']);
