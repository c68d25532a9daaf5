import type { Unsupported } from '@sealsmith/ecosystems';

export const builder: Unsupported = {
  supported: false,
  reason: 'RPM packages are not built: their patches change sources, and the package has to be compiled from them.',
};
