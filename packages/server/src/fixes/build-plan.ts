import type { AppliedPatch, SealedPackage, SealedPackageContent } from '../artifacts/sealed-package.ts';
import type { OriginVersion, StoredPatchSet } from '../patches/stored-patch-set.ts';
import type { KnownVulnerability } from '../vulnerabilities/vulnerability.ts';
import { type Coverage, coverageOf, missingIdentifiers } from './coverage.ts';

export type PublishedSeal = SealedPackage & SealedPackageContent;

/** What is known of a package version before it is built. */
export interface BuildFacts {
  patchSet: StoredPatchSet | null;
  vulnerabilities: readonly KnownVulnerability[];
  /** The highest iteration that is published; null when there is none. */
  newestSeal: PublishedSeal | null;
}

export type BuildPlan =
  | { kind: 'build'; patchSet: StoredPatchSet; patches: AppliedPatch[]; coverage: Coverage; iteration: number }
  | { kind: 'refused'; reason: string };

/** Decides what is built, or says in a sentence why nothing is. */
export function planBuild(
  wanted: OriginVersion & { requestedIdentifiers: readonly string[] },
  { patchSet, vulnerabilities, newestSeal }: BuildFacts,
): BuildPlan {
  const version = `${wanted.packageName} ${wanted.originVersion}`;
  if (patchSet === null) return refused(`The catalog has no patches for ${version}.`);
  const named = patchSet.patches.flatMap(({ identifiers }) => identifiers);
  const coverage = coverageOf(named, vulnerabilities);
  if (!coverage.closesKnown) {
    return refused(`The patches in the catalog close no vulnerability that is known of ${version}.`);
  }
  const left = missingIdentifiers(wanted.requestedIdentifiers, coverage.identifiers);
  if (left.length > 0) return refused(`The patches in the catalog for ${version} do not close ${left.join(', ')}.`);
  // Whoever follows the newest iteration must never lose a fix by it.
  const lost = missingIdentifiers(
    newestSeal?.patches.flatMap(({ identifiers }) => identifiers) ?? [],
    coverage.identifiers,
  );
  if (lost.length > 0) {
    return refused(
      `The patches in the catalog leave out ${lost.join(', ')}, which ${newestSeal?.sealedVersion} closes: iterations are cumulative.`,
    );
  }
  return {
    kind: 'build',
    patchSet,
    patches: patchSet.patches.map(({ fileName, text, identifiers }) => ({ fileName, text, identifiers })),
    coverage,
    iteration: (newestSeal?.iteration ?? 0) + 1,
  };
}

/** Whether a seal was made with exactly these patches, in this order. */
export function hasPatches(seal: PublishedSeal, patches: readonly AppliedPatch[]): boolean {
  return (
    seal.patches.length === patches.length &&
    seal.patches.every(({ fileName, text }, index) => {
      const other = patches[index];
      return other?.fileName === fileName && other.text === text;
    })
  );
}

function refused(reason: string): BuildPlan {
  return { kind: 'refused', reason };
}
