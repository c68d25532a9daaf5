import type { Ecosystem } from '../ecosystem.ts';
import { plainPurlNaming } from '../plain-purl-naming.ts';
import { normalizeDebName } from './name.ts';
import { debSealedSpelling } from './sealed-version.ts';

export const deb: Ecosystem = {
  id: 'deb',
  wireName: 'DEB',
  osvNames: ['Debian', 'Ubuntu'],
  purlType: 'deb',
  purlNaming: plainPurlNaming,
  normalizeName: normalizeDebName,
  versions: {
    supported: false,
    reason:
      "Debian versions are not put in order: that takes dpkg's own comparison, in which a tilde sorts before the end.",
  },
  manifests: {
    supported: false,
    reason: 'The dpkg status file is not read; send the packages of the system as a list instead.',
  },
  ...debSealedSpelling,
};
