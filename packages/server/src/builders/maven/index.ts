import type { Unsupported } from '@sealsmith/ecosystems';

export const builder: Unsupported = {
  supported: false,
  reason:
    'Maven packages are not built: their patches change Java sources, and the published jar has to be compiled from them.',
};
