import type { Ecosystem } from '../ecosystem.ts';
import { plainPurlNaming } from '../plain-purl-naming.ts';
import { normalizePypiName } from './name.ts';
import { pypiSealedSpelling } from './sealed-version.ts';

export const pypi: Ecosystem = {
  id: 'pypi',
  wireName: 'PyPI',
  osvNames: ['PyPI'],
  purlType: 'pypi',
  purlNaming: plainPurlNaming,
  normalizeName: normalizePypiName,
  versions: {
    supported: false,
    reason:
      'PyPI versions are not put in order: that takes PEP 440, and a wrong order would call a vulnerable version safe.',
  },
  manifests: {
    supported: false,
    reason: 'Python lockfiles and requirement files are not read; send the packages as a list instead.',
  },
  ...pypiSealedSpelling,
};
