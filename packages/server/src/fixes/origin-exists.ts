import type { EcosystemId } from '@sealsmith/ecosystems';
import { IntegrityError } from '../builders/integrity-error.ts';
import type { Builders } from '../builders/registry.ts';
import { AppError } from '../platform/app-error.ts';

/**
 * Whether upstream has a version. Also true where that cannot be asked, because the ecosystem has no builder: the build
 * then says why nothing is made.
 * @throws AppError `upstream_unavailable`
 */
export type OriginExists = (ecosystem: EcosystemId, name: string, version: string) => Promise<boolean>;

export function createOriginExists(builders: Builders): OriginExists {
  return async (ecosystem, name, version) => {
    const builder = builders[ecosystem];
    if (!builder.supported) return true;
    try {
      await builder.fetchOrigin(name, version);
      return true;
    } catch (error) {
      if (error instanceof AppError && error.code === 'package_version_not_found') return false;
      // It is there; that its bytes are wrong is for the build to refuse, where the reason is kept.
      if (error instanceof IntegrityError) return true;
      throw error;
    }
  };
}
