import { InvalidNameError } from '../errors.ts';
import { failure, type JsonObject, type LockDocument, memberKey, objectAt } from './lock-document.ts';
import type { LockEntry, Requirement } from './lock-node.ts';
import { normalizeNpmName } from './name.ts';

/** Reads npm's flags: `devOptional` installs with the optional ones too, so it counts as optional. */
export function scopeOf(entry: JsonObject): LockEntry['scope'] {
  if (entry.dev === true) return 'dev';
  if (entry.optional === true || entry.devOptional === true) return 'optional';
  return entry.peer === true ? 'peer' : 'prod';
}

export function checkedName(document: LockDocument, key: string, name: string): string {
  try {
    return normalizeNpmName(name);
  } catch (error) {
    if (error instanceof InvalidNameError) throw failure(document, key, error.message.replace(/\.$/, ''));
    throw error;
  }
}

/** The requirements in these sections of an entry, in their order. */
export function requirementsOf(
  document: LockDocument,
  entry: JsonObject,
  { key, sections }: { key: string; sections: readonly string[] },
): Requirement[] {
  const requirements: Requirement[] = [];
  for (const section of sections) {
    if (entry[section] === undefined) continue;
    const sectionKey = memberKey(key, section);
    const wanted = objectAt(document, entry, sectionKey);
    for (const name of Object.keys(wanted)) {
      const spec = wanted[name];
      if (typeof spec !== 'string')
        throw failure(document, memberKey(sectionKey.path, name).path, 'it is not a string');
      requirements.push({ name, spec });
    }
  }
  return requirements;
}
