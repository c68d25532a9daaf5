import { InvalidVersionError } from '../errors.ts';
import { createSealedSpelling } from '../sealed-spelling.ts';

/** The last three digits of a sealed release. */
const iterationsPerRelease = 1000;

/**
 * `1.2.3-r4` → `1.2.3-r4001`: an Alpine version has no other place for a seal. Release 0 is refused, because its
 * spelling `-r1` would be the distribution's own next release.
 */
export const apkSealedSpelling = createSealedSpelling({
  ecosystem: 'apk',
  iterationMax: iterationsPerRelease - 1,
  spell(originVersion, iteration) {
    const refuse = (reason: string) => new InvalidVersionError('apk', originVersion, reason);
    const parts = splitRelease(originVersion);
    if (parts === null) throw refuse('it is not of the form version-rN');
    if (parts.release === 0) throw refuse('the seal of release 0 cannot be told from the release after it');
    const release = parts.release * iterationsPerRelease + iteration;
    if (!Number.isSafeInteger(release)) throw refuse('its release number is too large');
    return `${parts.version}-r${release}`;
  },
  split(version) {
    const parts = splitRelease(version);
    if (parts === null) return null;
    const originRelease = Math.floor(parts.release / iterationsPerRelease);
    return { originVersion: `${parts.version}-r${originRelease}`, iteration: parts.release % iterationsPerRelease };
  },
});

function splitRelease(version: string): { version: string; release: number } | null {
  const match = version.length > 500 ? null : /^(\d[\w.]*)-r(0|[1-9]\d*)$/.exec(version);
  return match?.[1] === undefined ? null : { version: match[1], release: Number(match[2]) };
}
