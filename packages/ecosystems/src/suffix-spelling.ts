import type { EcosystemId } from './ecosystem-id.ts';
import { InvalidVersionError } from './errors.ts';
import { createSealedSpelling, iterationMax, type SealedSpelling } from './sealed-spelling.ts';

interface SuffixRules {
  readonly ecosystem: EcosystemId;
  /** Stands between the origin version and the iteration, for example `+sp`. */
  readonly suffix: string;
  readonly originPattern: RegExp;
  /** What the pattern asks for, as the rest of a sentence. */
  readonly expected: string;
}

const originCharactersMax = 500;

/** The spelling `<origin version><suffix><iteration>`. */
export function createSuffixSpelling({ ecosystem, suffix, originPattern, expected }: SuffixRules): SealedSpelling {
  return createSealedSpelling({
    ecosystem,
    iterationMax,
    spell(originVersion, iteration) {
      if (originVersion.length > originCharactersMax || !originPattern.test(originVersion)) {
        throw new InvalidVersionError(ecosystem, originVersion, expected);
      }
      return `${originVersion}${suffix}${iteration}`;
    },
    split(version) {
      const start = version.lastIndexOf(suffix);
      const digits = version.slice(start + suffix.length);
      if (start === -1 || !/^\d+$/.test(digits)) return null;
      return { originVersion: version.slice(0, start), iteration: Number(digits) };
    },
  });
}
