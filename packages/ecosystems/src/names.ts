import type { EcosystemId } from './ecosystem-id.ts';
import { ecosystems } from './registry.ts';

/** The spelling under which a package name is stored and compared. Throws InvalidNameError. */
export function normalizeName(ecosystem: EcosystemId, name: string): string {
  return ecosystems[ecosystem].normalizeName(name);
}
