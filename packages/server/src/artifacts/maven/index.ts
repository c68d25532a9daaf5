import type { Unsupported } from '@sealsmith/ecosystems';

export const protocol: Unsupported = {
  supported: false,
  reason:
    'Maven artifacts are not served: the repository layout of Maven is not spoken here, and no sealed Maven artifact is built.',
};
