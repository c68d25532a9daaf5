import semver from 'semver';
import {
  failure,
  isObject,
  type JsonObject,
  type LockDocument,
  lockLimits,
  memberKey,
  objectAt,
  textAt,
} from './lock-document.ts';
import { checkedName, requirementsOf, scopeOf } from './lock-entry.ts';
import {
  addChild,
  type LockEntry,
  type LockNode,
  type LockRole,
  type LockTree,
  type Requirement,
} from './lock-node.ts';

interface PendingEntry {
  readonly name: string;
  readonly value: unknown;
  readonly parent: LockNode;
  readonly parentKey: string;
  readonly depth: number;
}

/**
 * Builds the tree of the nested `dependencies` section of lockfileVersion 1, with the paths that later versions spell
 * out. Such a lockfile does not record what the project itself requires.
 */
export function treeOfDependencies(document: LockDocument): LockTree {
  const root: LockNode = {
    path: '',
    key: '',
    role: { kind: 'project' },
    parent: null,
    children: null,
    requirements: [],
  };
  const nodeAt = new Map<string, LockNode>([['', root]]);
  const nodes = [root];
  // A stack of our own, because the nesting comes from outside.
  const pending: PendingEntry[] = [];
  pushEntries(document, document.root, { pending, parent: root, depth: 1 });
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const key = memberKey(next.parentKey, next.name).path;
    if (!isObject(next.value)) throw failure(document, key, 'it is not an object');
    if (nodes.length > lockLimits.entries) throw failure(document, key, `it has over ${lockLimits.entries} entries`);
    const node = createNode(document, next, { key, entry: next.value });
    nodes.push(node);
    nodeAt.set(node.path, node);
    addChild(next.parent, next.name, node);
    pushEntries(document, next.value, { pending, parent: node, depth: next.depth + 1 });
  }
  return { nodes, nodeAt, knowsDirect: false };
}

/** The first entry is pushed last, so that entries come off the stack in the file's order. */
function pushEntries(
  document: LockDocument,
  holder: JsonObject,
  { pending, parent, depth }: { pending: PendingEntry[]; parent: LockNode; depth: number },
): void {
  const section = memberKey(parent.key, 'dependencies');
  const entries = Object.entries(objectAt(document, holder, section));
  if (entries.length > 0 && depth > lockLimits.nesting) {
    throw failure(document, section.path, `it is nested over ${lockLimits.nesting} levels deep`);
  }
  for (const [name, value] of entries.reverse()) {
    pending.push({ name, value, parent, parentKey: section.path, depth });
  }
}

function createNode(
  document: LockDocument,
  { name, parent }: PendingEntry,
  { key, entry }: { key: string; entry: JsonObject },
): LockNode {
  checkedName(document, key, name);
  const path = parent.path === '' ? `node_modules/${name}` : `${parent.path}/node_modules/${name}`;
  if (path.length > lockLimits.pathCharacters) {
    throw failure(document, key, `its path has over ${lockLimits.pathCharacters} characters`);
  }
  const role = roleOf(document, { key, name, entry });
  return { path, key, role, parent, children: null, requirements: requirementsIn(document, entry, key) };
}

/** An entry of the first npm 5 has no `requires`; what lies below it is then all that is known of its requirements. */
function requirementsIn(document: LockDocument, entry: JsonObject, key: string): Requirement[] {
  if (entry.requires !== undefined && entry.requires !== false) {
    return requirementsOf(document, entry, { key, sections: ['requires'] });
  }
  const below = objectAt(document, entry, memberKey(key, 'dependencies'));
  return Object.keys(below).map((name) => ({ name, spec: '*' }));
}

function roleOf(
  document: LockDocument,
  { key, name, entry }: { key: string; name: string; entry: JsonObject },
): LockRole {
  const version = textAt(document, entry, memberKey(key, 'version'));
  if (version === null) throw failure(document, key, 'it does not say which version is installed');
  if (/^file:/.test(version) && !/\.(?:tgz|tar|tar\.gz)$/i.test(version)) return { kind: 'project' };
  const alias = /^npm:(.+)@([^@]+)$/s.exec(version);
  const isRegistry = alias !== null || semver.valid(version) !== null || !/[:/]/.test(version);
  const facts: LockEntry = {
    name: checkedName(document, key, alias?.[1] ?? name),
    version: alias?.[2] ?? version,
    resolved: textAt(document, entry, memberKey(key, 'resolved')),
    integrity: textAt(document, entry, memberKey(key, 'integrity')),
    scope: scopeOf(entry),
    isBundled: entry.bundled === true,
    source: isRegistry ? 'registry' : 'other',
  };
  return { kind: 'package', entry: facts };
}
