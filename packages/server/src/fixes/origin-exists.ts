import type { EcosystemId } from '@sealsmith/ecosystems';
import type { Builders } from '../builders/registry.ts';

/**
 * Whether upstream has a version. Also true where that cannot be asked, because the ecosystem has no builder: the build
 * then says why nothing is made.
 * @throws AppError `upstream_unavailable`
 */
export type OriginExists = (ecosystem: EcosystemId, name: string, version: string) => Promise<boolean>;

export function createOriginExists(builders: Builders): OriginExists {
  return async (ecosystem, name, version) => {
    const builder = builders[ecosystem];
    return builder.supported ? builder.hasOrigin(name, version) : true;
  };
}
