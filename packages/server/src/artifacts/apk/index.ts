import type { Unsupported } from '@sealsmith/ecosystems';

export const protocol: Unsupported = {
  supported: false,
  reason:
    'Alpine packages are not served: the package index would have to be generated and signed, and no sealed Alpine package is built.',
};
