import type { Ecosystem } from '../ecosystem.ts';
import { normalizeRpmName } from './name.ts';
import { rpmPurlNaming } from './purl-naming.ts';
import { rpmSealedSpelling } from './sealed-version.ts';

export const rpm: Ecosystem = {
  id: 'rpm',
  wireName: 'RPM',
  osvNames: [
    'Red Hat',
    'Rocky Linux',
    'AlmaLinux',
    'SUSE',
    'openSUSE',
    'openEuler',
    'Mageia',
    'Photon OS',
    'Azure Linux',
  ],
  purlType: 'rpm',
  purlNaming: rpmPurlNaming,
  normalizeName: normalizeRpmName,
  versions: {
    supported: false,
    reason: "RPM versions are not put in order: that takes rpm's own comparison of epoch, version and release.",
  },
  manifests: {
    supported: false,
    reason: 'The RPM database of a system is not read; send its packages as a list instead.',
  },
  ...rpmSealedSpelling,
};
