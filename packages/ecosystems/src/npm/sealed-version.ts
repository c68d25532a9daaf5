import { InvalidVersionError } from '../errors.ts';
import { createSealedSpelling, dottedLabelOf, iterationMax, splitDottedLabel } from '../sealed-spelling.ts';
import { isNpmVersion } from './version.ts';

/**
 * `1.2.3` → `1.2.3-sp1`, `1.2.3-sp.10`. The label is always one more prerelease identifier, so that
 * - `1.0.0-beta.1` → `1.0.0-beta.1.sp1`, which sorts directly after its origin and before `1.0.0-beta.2`;
 * - `1.0.0+build` → `1.0.0-sp1+build`: build metadata plays no part in the order and stays at the end.
 */
export const npmSealedSpelling = createSealedSpelling({
  ecosystem: 'npm',
  iterationMax,
  spell(originVersion, iteration) {
    const refuse = (reason: string) => new InvalidVersionError('npm', originVersion, reason);
    if (!isNpmVersion(originVersion)) throw refuse('it does not follow Semantic Versioning 2.0.0');
    const { release, prerelease, build } = partsOf(originVersion);
    const identifiers = prerelease === '' ? dottedLabelOf(iteration) : `${prerelease}.${dottedLabelOf(iteration)}`;
    const sealed = `${release}-${identifiers}${build}`;
    if (!isNpmVersion(sealed)) throw refuse('its sealed spelling would be too long');
    return sealed;
  },
  split(version) {
    const { release, prerelease, build } = partsOf(version);
    const parts = splitDottedLabel(prerelease);
    if (parts === null) return null;
    const originVersion = `${release}${parts.before === '' ? '' : `-${parts.before}`}${build}`;
    return { originVersion, iteration: parts.iteration };
  },
});

/** `build` keeps its plus sign; `prerelease` and `build` are empty where the version has none. */
function partsOf(version: string): { release: string; prerelease: string; build: string } {
  const plus = version.indexOf('+');
  const ordered = plus === -1 ? version : version.slice(0, plus);
  const dash = ordered.indexOf('-');
  return {
    release: dash === -1 ? ordered : ordered.slice(0, dash),
    prerelease: dash === -1 ? '' : ordered.slice(dash + 1),
    build: plus === -1 ? '' : version.slice(plus),
  };
}
