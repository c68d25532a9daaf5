import type { Unsupported } from '@sealsmith/ecosystems';

export const protocol: Unsupported = {
  supported: false,
  reason:
    'RPM packages are not served: repository metadata would have to be generated and signed, and no sealed RPM is built.',
};
