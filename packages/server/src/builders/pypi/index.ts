import type { Unsupported } from '@sealsmith/ecosystems';

export const builder: Unsupported = {
  supported: false,
  reason:
    'Python packages are not built: a release is several wheels and a source archive, which would have to change together.',
};
