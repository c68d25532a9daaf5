import type { EcosystemId } from './ecosystem-id.ts';
import { InvalidVersionError } from './errors.ts';

/** The highest iteration that any ecosystem spells; far above what one origin version can ever need. */
export const iterationMax = 999_999;

export interface SealedVersion {
  readonly originVersion: string;
  readonly iteration: number;
}

export interface SealedSpelling {
  /** Throws InvalidVersionError when the origin or the iteration has no spelling. */
  sealedVersionOf(originVersion: string, iteration: number): string;
  /** Null for everything that `sealedVersionOf` does not write, such as `1.0.0-sp01`. */
  parseSealedVersion(version: string): SealedVersion | null;
}

interface SpellingRules {
  readonly ecosystem: EcosystemId;
  readonly iterationMax: number;
  /** Throws InvalidVersionError when the text is no version of the ecosystem. */
  spell(originVersion: string, iteration: number): string;
  /** May accept more than `spell` writes; the difference is found by spelling the parts again. */
  split(version: string): SealedVersion | null;
}

/**
 * A spelling whose two directions agree by construction. Iterations are cumulative, so a sealed version is never sealed
 * again: what is spelled like one is refused as an origin, and two stacked spellings are no sealed version.
 */
export function createSealedSpelling(rules: SpellingRules): SealedSpelling {
  return {
    sealedVersionOf(originVersion, iteration) {
      const refuse = (reason: string) => new InvalidVersionError(rules.ecosystem, originVersion, reason);
      if (!isIteration(iteration, rules.iterationMax)) {
        throw refuse(`an iteration is a whole number from 1 to ${rules.iterationMax}`);
      }
      if (splitExactly(rules, originVersion) !== null) throw refuse('it is spelled like a sealed version already');
      return rules.spell(originVersion, iteration);
    },
    parseSealedVersion(version) {
      const sealed = splitExactly(rules, version);
      return sealed !== null && splitExactly(rules, sealed.originVersion) === null ? sealed : null;
    },
  };
}

/** The label `sp3`, or `sp.12`: semver and PEP 440 compare `.12` as a number. */
export function dottedLabelOf(iteration: number): string {
  return iteration > 9 ? `sp.${iteration}` : `sp${iteration}`;
}

/** Splits `beta.1.sp3` into what stands before the label (`beta.1`, or the empty string) and the iteration. */
export function splitDottedLabel(text: string): { before: string; iteration: number } | null {
  const match = /^(?:(.+)\.)?sp\.?(\d+)$/.exec(text);
  return match === null ? null : { before: match[1] ?? '', iteration: Number(match[2]) };
}

function splitExactly(rules: SpellingRules, version: string): SealedVersion | null {
  const parts = rules.split(version);
  if (parts === null || !isIteration(parts.iteration, rules.iterationMax)) return null;
  try {
    return rules.spell(parts.originVersion, parts.iteration) === version ? parts : null;
  } catch (error) {
    if (error instanceof InvalidVersionError) return null;
    throw error;
  }
}

function isIteration(value: number, max: number): boolean {
  return Number.isInteger(value) && value >= 1 && value <= max;
}
