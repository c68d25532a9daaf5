import type { PurlNaming } from '../ecosystem.ts';

/** The group is the namespace. */
export const mavenPurlNaming: PurlNaming = {
  toParts(name, version) {
    const [group = '', artifact = ''] = name.split(':');
    return { namespace: group, name: artifact, version, epoch: null };
  },
  fromParts({ namespace, name, version }) {
    return { name: `${namespace ?? ''}:${name}`, version };
  },
};
