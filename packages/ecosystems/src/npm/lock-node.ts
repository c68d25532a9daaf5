/** One place of the lock's tree, as Node's module resolution sees it. */
export interface LockNode {
  readonly path: string;
  /** How error messages name the entry. */
  readonly key: string;
  readonly role: LockRole;
  /** The node whose `node_modules`, or whose folder, holds this one. */
  readonly parent: LockNode | null;
  /** What lies in its `node_modules`, by the name under which it is imported; null for most, which saves much memory. */
  children: Map<string, LockNode> | null;
  readonly requirements: readonly Requirement[];
}

export type LockRole =
  | { readonly kind: 'package'; readonly entry: LockEntry }
  /** The project or a workspace: what it requires is direct. */
  | { readonly kind: 'project' }
  | { readonly kind: 'link'; readonly targetPath: string | null };

export interface LockEntry {
  readonly name: string;
  readonly version: string;
  readonly resolved: string | null;
  readonly integrity: string | null;
  readonly scope: 'prod' | 'dev' | 'optional' | 'peer';
  readonly isBundled: boolean;
  readonly source: 'registry' | 'other';
}

export interface Requirement {
  readonly name: string;
  /** A version range, or a URL. */
  readonly spec: string;
}

/** The tree of one lockfile. */
export interface LockTree {
  /** Every node, in the lockfile's order. */
  readonly nodes: readonly LockNode[];
  readonly nodeAt: ReadonlyMap<string, LockNode>;
  /** False when the lockfile does not say what the project itself requires. */
  readonly knowsDirect: boolean;
}

export function addChild(parent: LockNode, name: string, child: LockNode): void {
  parent.children ??= new Map();
  parent.children.set(name, child);
}

/** The package or project that `name` means inside `from`: the nearest `node_modules` on the way up that has it. */
export function resolveRequirement(tree: LockTree, from: LockNode, name: string): LockNode | null {
  for (let node: LockNode | null = from; node !== null; node = node.parent) {
    const found = node.children?.get(name);
    if (found !== undefined) return followLink(tree, found);
  }
  return null;
}

function followLink(tree: LockTree, node: LockNode): LockNode | null {
  if (node.role.kind !== 'link') return node;
  return node.role.targetPath === null ? null : (tree.nodeAt.get(node.role.targetPath) ?? null);
}
