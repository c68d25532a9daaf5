import type { LockedPackage } from '../locked-package.ts';
import { failure, type LockDocument, lockLimits } from './lock-document.ts';
import { type LockEntry, type LockNode, type LockTree, resolveRequirement } from './lock-node.ts';
import { isNpmVersion } from './version.ts';

/** How a package was reached first, which is on a shortest way. */
interface Reach {
  readonly isDirect: boolean;
  readonly via: readonly string[];
}

/** What a walk over the tree found out. */
interface Walk {
  readonly reached: Map<LockNode, Reach>;
  readonly requiredByUrl: Set<LockNode>;
}

/** Lists the packages of a lockfile in its order, each with the way that leads to it. Linear in nodes and requirements. */
export function packagesOfTree(document: LockDocument, tree: LockTree): LockedPackage[] {
  const requirementCount = tree.nodes.reduce((count, node) => count + node.requirements.length, 0);
  if (requirementCount > lockLimits.requirements) {
    throw failure(document, 'packages', `it has over ${lockLimits.requirements} requirements`);
  }
  const walk: Walk = { reached: new Map(), requiredByUrl: new Set() };
  reachFrom(document, tree, { walk, direct: directNodes(tree, walk) });
  if (!tree.knowsDirect) reachTheRest(document, tree, walk);
  const packages: LockedPackage[] = [];
  for (const node of tree.nodes) {
    if (node.role.kind === 'package') packages.push(describe(document, node, { entry: node.role.entry, walk }));
  }
  return packages;
}

function directNodes(tree: LockTree, walk: Walk): LockNode[] {
  const projects = tree.nodes.filter((node) => node.role.kind === 'project');
  const required = projects.flatMap((project) => packagesRequiredBy(tree, project, walk));
  return tree.knowsDirect ? required : [...required, ...topLevelNodes(tree).filter(isRequiredByNone(tree, walk))];
}

function topLevelNodes(tree: LockTree): LockNode[] {
  return tree.nodes.filter((node) => node.role.kind === 'package' && node.parent?.path === '');
}

function isRequiredByNone(tree: LockTree, walk: Walk): (node: LockNode) => boolean {
  const packages = tree.nodes.filter((node) => node.role.kind === 'package');
  const required = new Set(packages.flatMap((node) => packagesRequiredBy(tree, node, walk)));
  return (node) => !required.has(node);
}

/** Packages that only require each other in a circle have no beginning: the first one in the file is taken for it. */
function reachTheRest(document: LockDocument, tree: LockTree, walk: Walk): void {
  for (const node of topLevelNodes(tree)) {
    if (!walk.reached.has(node)) reachFrom(document, tree, { walk, direct: [node] });
  }
}

/** Breadth first, so that the first way found to a package is a shortest one. */
function reachFrom(document: LockDocument, tree: LockTree, { walk, direct }: { walk: Walk; direct: LockNode[] }): void {
  const queue: LockNode[] = [];
  const reach = (node: LockNode, found: Reach) => {
    if (walk.reached.has(node)) return;
    walk.reached.set(node, found);
    queue.push(node);
  };
  for (const node of direct) reach(node, { isDirect: true, via: [] });
  // The queue grows while it is read; each node enters once.
  for (const node of queue) {
    if (node.requirements.length === 0) continue;
    const via = [...(walk.reached.get(node)?.via ?? []), nameOf(node)];
    if (via.length > lockLimits.distance) {
      throw failure(document, node.key, `it is over ${lockLimits.distance} steps away from a direct dependency`);
    }
    for (const next of packagesRequiredBy(tree, node, walk)) reach(next, { isDirect: false, via });
  }
}

/** What is not found is an optional or peer requirement that is not installed. */
function packagesRequiredBy(tree: LockTree, from: LockNode, walk: Walk): LockNode[] {
  const found: LockNode[] = [];
  for (const { name, spec } of from.requirements) {
    const node = resolveRequirement(tree, from, name);
    if (node?.role.kind !== 'package') continue;
    if (/^https?:/i.test(spec)) walk.requiredByUrl.add(node);
    found.push(node);
  }
  return found;
}

function describe(
  document: LockDocument,
  node: LockNode,
  { entry, walk }: { entry: LockEntry; walk: Walk },
): LockedPackage {
  // A tarball from elsewhere has an http address like one of the registry; only who requires it tells them apart.
  const source = walk.requiredByUrl.has(node) ? 'other' : entry.source;
  if (source === 'registry' && !isNpmVersion(entry.version)) {
    throw failure(document, `${node.key}.version`, 'it is no valid version');
  }
  const { isDirect, via } = walk.reached.get(node) ?? { isDirect: false, via: [] };
  return { ...entry, source, path: node.path, isDirect, via };
}

function nameOf(node: LockNode): string {
  return node.role.kind === 'package' ? node.role.entry.name : node.path;
}
