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
    const stored = await findCandidateRules(
      db,
      scope,
      targets.map(({ packageName }) => packageName),
    );
    const draftKeys = new Set(drafts.map(keyOf));
    const index = indexRules([...drafts, ...stored.filter((rule) => !draftKeys.has(keyOf(rule)))]);
    const names = targets.flatMap((target) =>
      index
        .candidates(target)
        .map((rule) => ({ ecosystem: target.ecosystem, packageName: sealedNameFor(rule, target) })),
    );
    const seals = indexSeals(await listSealed(db, scope, names));
    return targets.map((target) => resolvePackage(index.candidates(target), target, seals));
  };
}

function indexRules(rules: readonly StoredRule[]) {
  const forEveryPackage = rules.filter(({ subject }) => subject.kind === 'every-package');
  const byKey = Map.groupBy(rules, ({ subject }) =>
    subject.kind === 'every-package' ? '' : packageKey(subject.packageName),
  );
  return {
    candidates: ({ packageName }: RuleTarget) => [...(byKey.get(packageKey(packageName)) ?? []), ...forEveryPackage],
  };
}

function keyOf({ scope, subject }: StoredRule): string {
  const named = subject.kind === 'package-version' ? [subject.packageName, subject.packageVersion] : [];
  return JSON.stringify([scope.kind === 'project' ? scope.projectName : null, ...named]);
}
