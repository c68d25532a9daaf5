import type { PurlNaming } from './ecosystem.ts';

/** For ecosystems whose names have one part. A namespace is the distributor there, and no part of the name. */
export const plainPurlNaming: PurlNaming = {
  toParts: (name, version) => ({ namespace: null, name, version, epoch: null }),
  fromParts: ({ name, version }) => ({ name, version }),
};
