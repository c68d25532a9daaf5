import type { PurlNaming } from '../ecosystem.ts';

/** The epoch is a qualifier in a package URL and the front of the version (`1:2.0-3`) everywhere else. */
export const rpmPurlNaming: PurlNaming = {
  toParts(name, version) {
    const [, epoch = null, rest = version] = /^(\d+):(.+)$/s.exec(version ?? '') ?? [];
    return { namespace: null, name, version: rest, epoch };
  },
  fromParts({ name, version, epoch }) {
    const hasEpoch = version !== null && epoch !== null && /^\d+$/.test(epoch);
    return { name, version: hasEpoch ? `${epoch}:${version}` : version };
  },
};
