import type { Unsupported } from '@sealsmith/ecosystems';

export const protocol: Unsupported = {
  supported: false,
  reason:
    'Debian packages are not served: package indexes would have to be generated and signed, and no sealed Debian package is built.',
};
