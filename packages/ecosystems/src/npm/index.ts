import type { Ecosystem } from '../ecosystem.ts';
import { normalizeNpmName } from './name.ts';
import { readPackageLock } from './package-lock.ts';
import { npmPurlNaming } from './purl-naming.ts';
import { npmSealedSpelling } from './sealed-version.ts';
import { npmVersions } from './version.ts';

export const npm: Ecosystem = {
  id: 'npm',
  wireName: 'NPM',
  osvNames: ['npm'],
  purlType: 'npm',
  purlNaming: npmPurlNaming,
  normalizeName: normalizeNpmName,
  versions: npmVersions,
  manifests: {
    supported: true,
    readers: [{ fileNames: ['package-lock.json', 'npm-shrinkwrap.json'], read: readPackageLock }],
  },
  ...npmSealedSpelling,
};
