import type { Ecosystem } from '../ecosystem.ts';
import { normalizeMavenName } from './name.ts';
import { mavenPurlNaming } from './purl-naming.ts';
import { mavenSealedSpelling } from './sealed-version.ts';

export const maven: Ecosystem = {
  id: 'maven',
  wireName: 'Maven',
  osvNames: ['Maven'],
  purlType: 'maven',
  purlNaming: mavenPurlNaming,
  normalizeName: normalizeMavenName,
  versions: {
    supported: false,
    reason:
      "Maven versions are not put in order: that takes Maven's own rules for qualifiers such as alpha, rc and sp.",
  },
  manifests: {
    supported: false,
    reason:
      'Maven project files are not read: they do not list what a build resolves; send the packages of the build as a list instead.',
  },
  ...mavenSealedSpelling,
};
