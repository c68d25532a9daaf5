import {
  failure,
  isObject,
  type JsonObject,
  type LockDocument,
  lockLimits,
  memberKey,
  textAt,
} from './lock-document.ts';
import { checkedName, requirementsOf, scopeOf } from './lock-entry.ts';
import { addChild, type LockEntry, type LockNode, type LockRole, type LockTree } from './lock-node.ts';

const packageSections = ['dependencies', 'optionalDependencies', 'peerDependencies'];
const projectSections = [...packageSections, 'devDependencies'];

/** Builds the tree of the flat `packages` section that lockfileVersion 2 and 3 have. */
export function treeOfPackages(document: LockDocument): LockTree {
  const packages = document.root.packages;
  if (!isObject(packages)) throw failure(document, 'packages', 'it is missing or not an object');
  const entries = new Map<string, JsonObject>();
  for (const [path, entry] of Object.entries(packages)) {
    if (!isObject(entry)) throw failure(document, keyOf(path), 'it is not an object');
    checkPath(document, path);
    entries.set(path, entry);
  }
  if (entries.size > lockLimits.entries) {
    throw failure(document, 'packages', `it has over ${lockLimits.entries} entries`);
  }
  return buildTree(document, entries);
}

function buildTree(document: LockDocument, entries: ReadonlyMap<string, JsonObject>): LockTree {
  const nodeAt = new Map<string, LockNode>();
  // Recursion follows the nesting of one path, which `checkPath` has bounded.
  const place = (path: string): LockNode => {
    const known = nodeAt.get(path);
    if (known !== undefined) return known;
    const holder = holderOf(document, path, entries);
    const parent = holder === null ? null : place(holder);
    const node = createNode(document, { path, parent, entry: entries.get(path) ?? null });
    nodeAt.set(path, node);
    const name = installedName(path);
    if (name !== null && parent !== null) addChild(parent, name, node);
    return node;
  };
  const nodes = Array.from(entries.keys(), place);
  for (const node of nodes) {
    if (node.role.kind === 'link' && !nodeAt.has(node.role.targetPath ?? '')) {
      throw failure(document, node.key, 'the folder that it links to has no entry');
    }
  }
  return { nodes, nodeAt, knowsDirect: entries.has('') };
}

function createNode(
  document: LockDocument,
  { path, parent, entry }: { path: string; parent: LockNode | null; entry: JsonObject | null },
): LockNode {
  const key = keyOf(path);
  // A folder without an entry only holds a `node_modules`.
  if (entry === null) return { path, key, role: { kind: 'project' }, parent, children: null, requirements: [] };
  const role = roleOf(document, path, entry);
  const sections = role.kind === 'project' ? projectSections : packageSections;
  const requirements = role.kind === 'link' ? [] : requirementsOf(document, entry, { key, sections });
  return { path, key, role, parent, children: null, requirements };
}

function roleOf(document: LockDocument, path: string, entry: JsonObject): LockRole {
  const key = keyOf(path);
  const name = installedName(path);
  if (entry.link === true) {
    const targetPath = textAt(document, entry, memberKey(key, 'resolved'));
    if (targetPath === null) throw failure(document, key, 'it is a link that does not say where to');
    return { kind: 'link', targetPath };
  }
  if (name === null) return { kind: 'project' };
  return { kind: 'package', entry: readEntry(document, key, { entry, name }) };
}

function readEntry(
  document: LockDocument,
  key: string,
  { entry, name }: { entry: JsonObject; name: string },
): LockEntry {
  checkedName(document, key, name);
  const resolved = textAt(document, entry, memberKey(key, 'resolved'));
  const source = resolved === null || /^https?:/i.test(resolved) ? 'registry' : 'other';
  const version = textAt(document, entry, memberKey(key, 'version')) ?? (source === 'other' ? resolved : null);
  if (version === null) throw failure(document, key, 'it does not say which version is installed');
  return {
    name: checkedName(document, key, textAt(document, entry, memberKey(key, 'name')) ?? name),
    version,
    resolved,
    integrity: textAt(document, entry, memberKey(key, 'integrity')),
    scope: scopeOf(entry),
    isBundled: entry.inBundle === true,
    source,
  };
}

function checkPath(document: LockDocument, path: string): void {
  const refuse = (reason: string) => failure(document, keyOf(path), reason);
  if (path.length > lockLimits.pathCharacters)
    throw refuse(`its path has over ${lockLimits.pathCharacters} characters`);
  const segments = path.split('/');
  if (segments.filter((segment) => segment === 'node_modules').length > lockLimits.nesting) {
    throw refuse(`its path holds over ${lockLimits.nesting} node_modules folders`);
  }
  // A workspace may be linked from anywhere, also from `../sibling`; a package lies in a folder below its holder.
  const afterLeadingDots = segments.slice(segments.findIndex((segment) => segment !== '..'));
  const isUnclear = afterLeadingDots.some((segment) => ['', '.', '..'].includes(segment)) || /[\\\p{Cc}]/u.test(path);
  if (installedName(path) !== null && isUnclear) throw refuse('its path is not a plain relative one');
}

/** The folder whose `node_modules` holds the path; for any other path the nearest folder above that has an entry. */
function holderOf(document: LockDocument, path: string, entries: ReadonlyMap<string, JsonObject>): string | null {
  const match = packagePath.exec(path);
  if (match !== null) return match[1] ?? '';
  let folders = 0;
  for (let slash = path.lastIndexOf('/'); slash > 0; slash = path.lastIndexOf('/', slash - 1)) {
    const above = path.slice(0, slash);
    if (entries.has(above)) return above;
    folders += 1;
    if (folders > lockLimits.folders) {
      throw failure(document, keyOf(path), `it lies over ${lockLimits.folders} folders deep`);
    }
  }
  return path === '' || path.startsWith('..') || path.startsWith('/') ? null : '';
}

/** The name under which a path in a `node_modules` is imported; null for any other path. */
function installedName(path: string): string | null {
  return packagePath.exec(path)?.[2] ?? null;
}

const packagePath = /^(?:(.*)\/)?node_modules\/((?:@[^/]*\/)?[^/]*)$/s;

function keyOf(path: string): string {
  return `packages[${JSON.stringify(path)}]`;
}
