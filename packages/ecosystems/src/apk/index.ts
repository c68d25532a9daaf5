import type { Ecosystem } from '../ecosystem.ts';
import { plainPurlNaming } from '../plain-purl-naming.ts';
import { normalizeApkName } from './name.ts';
import { apkSealedSpelling } from './sealed-version.ts';

export const apk: Ecosystem = {
  id: 'apk',
  wireName: 'APK',
  osvNames: ['Alpine', 'Wolfi', 'Chainguard', 'MinimOS', 'Alpaquita', 'BellSoft Hardened Containers'],
  purlType: 'apk',
  purlNaming: plainPurlNaming,
  normalizeName: normalizeApkName,
  versions: {
    supported: false,
    reason: "Alpine versions are not put in order: that takes apk's own rules for suffixes such as _alpha, _rc and _p.",
  },
  manifests: {
    supported: false,
    reason: 'The apk database of a system is not read; send its packages as a list instead.',
  },
  ...apkSealedSpelling,
};
