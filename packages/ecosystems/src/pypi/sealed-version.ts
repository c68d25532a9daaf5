import { InvalidVersionError } from '../errors.ts';
import { createSealedSpelling, dottedLabelOf, iterationMax, splitDottedLabel } from '../sealed-spelling.ts';

/** `1.2.3` → `1.2.3+sp1`, `1.2.3+sp.10`; an origin with a local version (`1.0+cu118`) gets one more segment of it. */
export const pypiSealedSpelling = createSealedSpelling({
  ecosystem: 'pypi',
  iterationMax,
  spell(originVersion, iteration) {
    if (
      originVersion.length > 500 ||
      !/^[a-z0-9][a-z0-9.!_-]*(?:\+[a-z0-9]+(?:[._-][a-z0-9]+)*)?$/i.test(originVersion)
    ) {
      throw new InvalidVersionError('pypi', originVersion, 'it is not spelled like a PEP 440 version');
    }
    return `${originVersion}${originVersion.includes('+') ? '.' : '+'}${dottedLabelOf(iteration)}`;
  },
  split(version) {
    const plus = version.indexOf('+');
    const parts = plus === -1 ? null : splitDottedLabel(version.slice(plus + 1));
    if (parts === null) return null;
    const originVersion = version.slice(0, plus) + (parts.before === '' ? '' : `+${parts.before}`);
    return { originVersion, iteration: parts.iteration };
  },
});
