import type { Unsupported } from '@sealsmith/ecosystems';

export const protocol: Unsupported = {
  supported: false,
  reason:
    'Python packages are not served: the index protocol of PyPI is not spoken here, and no sealed Python package is built.',
};
