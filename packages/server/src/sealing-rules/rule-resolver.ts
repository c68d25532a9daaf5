import { originVersionOf } from '@sealsmith/ecosystems';
import type { ListSealedPackages } from '../artifacts/sealed-package.ts';
import { packageKey } from './package-key.ts';
import type { RuleTarget } from './precedence.ts';
import type { ResolvePackages } from './resolution.ts';
import { indexSeals, resolvePackage, sealedNameFor } from './resolve.ts';
import type { StoredRule } from './rule.ts';
import { findCandidateRules } from './rule-store.ts';

interface Options {
  listSealed: ListSealedPackages;
  /** Rules to treat as stored; one with the key of a stored rule stands in for it. */
  drafts?: readonly StoredRule[];
}

/** Resolves packages by the stored rules and the drafts: a fixed number of queries, whatever the number of packages. */
export function createRuleResolver({ listSealed, drafts = [] }: Options): ResolvePackages {
  return async (db, scope, targets) => {
    const stored = await findCandidateRules(db, scope, {
      projectNames: targets.map(({ projectName }) => projectName),
      packageNames: targets.map(({ packageName }) => packageName),
    });
    const draftKeys = new Set(drafts.map(keyOf));
    const index = indexRules([...distinct(drafts), ...stored.filter((rule) => !draftKeys.has(keyOf(rule)))]);
    const names = targets.flatMap((target) =>
      index
        .candidates(target)
        .map((rule) => ({ ecosystem: target.ecosystem, packageName: sealedNameFor(rule, target) })),
    );
    const seals = indexSeals(await listSealed(db, scope, names));
    return targets.map((target) => resolvePackage(index.candidates(target), target, seals));
  };
}

/** Finds a package's rules by what they name, so that those of other projects and versions cost nothing. */
function indexRules(rules: readonly StoredRule[]) {
  const bySlot = Map.groupBy(rules, ({ scope, subject }) =>
    slotOf(scope.kind === 'project' ? scope.projectName : null, subject.kind === 'package-version' ? subject : null),
  );
  return {
    candidates: ({ projectName, ecosystem, packageName, packageVersion }: RuleTarget) => {
      const named = { packageName, packageVersion: originVersionOf(ecosystem, packageVersion) };
      const slots = [projectName, null].flatMap((project) => [slotOf(project, named), slotOf(project, null)]);
      return slots.flatMap((slot) => bySlot.get(slot) ?? []);
    },
  };
}

function slotOf(projectName: string | null, named: { packageName: string; packageVersion: string } | null): string {
  return JSON.stringify([projectName, named && [packageKey(named.packageName), named.packageVersion]]);
}

/** Of drafts with one key the first counts. */
function distinct(drafts: readonly StoredRule[]): StoredRule[] {
  const firstByKey = new Map(drafts.toReversed().map((draft) => [keyOf(draft), draft]));
  return drafts.filter((draft) => firstByKey.get(keyOf(draft)) === draft);
}

function keyOf({ scope, subject }: StoredRule): string {
  const named = subject.kind === 'package-version' ? [subject.packageName, subject.packageVersion] : [];
  return JSON.stringify([scope.kind === 'project' ? scope.projectName : null, ...named]);
}
