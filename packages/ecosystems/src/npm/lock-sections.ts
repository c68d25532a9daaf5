import type { JsonSpan } from './json-spans.ts';

/** Finds the objects that speak of a lock path: one, or two in lockfileVersion 2. */
export function createLockSections(text: string, lockfileVersion: 1 | 2 | 3, root: JsonSpan) {
  const packages = lockfileVersion === 1 ? undefined : memberOf(root, 'packages');
  const linkPathOf = new Map<string, string>();
  for (const [path, { value }] of packages?.members ?? []) {
    const target = linkTargetOf(text, value);
    if (target !== null) linkPathOf.set(target, path);
  }
  return {
    entriesAt(path: string): JsonSpan[] {
      const flat = packages === undefined ? undefined : memberOf(packages, path);
      const nested = lockfileVersion === 3 ? undefined : nestedEntry(root, path, linkPathOf);
      return [flat, nested].filter((entry) => entry !== undefined);
    },
  };
}

/** Walks `dependencies` along the names of a path; a workspace has its place there under the name of its link. */
function nestedEntry(root: JsonSpan, path: string, linkPathOf: ReadonlyMap<string, string>): JsonSpan | undefined {
  const [folder = '', ...names] = path.split(/(?:^|\/)node_modules\//);
  let entry: JsonSpan | undefined = root;
  if (folder !== '') {
    const linkPath = linkPathOf.get(folder);
    entry = linkPath === undefined ? undefined : nestedEntry(root, linkPath, new Map());
  }
  for (const name of names) {
    const section: JsonSpan | undefined = entry && memberOf(entry, 'dependencies');
    entry = section && memberOf(section, name);
  }
  return names.length === 0 ? undefined : entry;
}

function linkTargetOf(text: string, entry: JsonSpan): string | null {
  const link = memberOf(entry, 'link');
  const resolved = memberOf(entry, 'resolved');
  if (link === undefined || resolved === undefined || text.slice(link.start, link.end) !== 'true') return null;
  const target: unknown = JSON.parse(text.slice(resolved.start, resolved.end));
  return typeof target === 'string' ? target : null;
}

function memberOf(span: JsonSpan, key: string): JsonSpan | undefined {
  return span.members?.get(key)?.value;
}
