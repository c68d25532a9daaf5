import type { PurlNaming } from '../ecosystem.ts';

/** The scope, with its `@`, is the namespace. */
export const npmPurlNaming: PurlNaming = {
  toParts(name, version) {
    const slash = name.indexOf('/');
    if (slash === -1) return { namespace: null, name, version, epoch: null };
    return { namespace: name.slice(0, slash), name: name.slice(slash + 1), version, epoch: null };
  },
  fromParts({ namespace, name, version }) {
    return { name: namespace === null ? name : `${namespace}/${name}`, version };
  },
};
