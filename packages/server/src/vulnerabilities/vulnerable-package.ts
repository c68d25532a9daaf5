import type { TokenRole, VulnerablePackage } from '@sealsmith/contract';
import { type EcosystemId, ecosystems } from '@sealsmith/ecosystems';
import type { Selectable } from 'kysely';
import type { VulnerablePackagesTable } from '../database/schema.ts';

/** One origin version of a project that something is known to be wrong with. */
export type VulnerablePackageRow = Omit<
  Selectable<VulnerablePackagesTable>,
  'tenant_id' | 'project_folded' | 'package_folded'
>;

/** What tells one vulnerable package of a tenant from every other. */
export interface VulnerablePackageKey {
  projectName: string;
  role: TokenRole;
  ecosystem: EcosystemId;
  /** Normalised. */
  packageName: string;
  originVersion: string;
}

/** The key as one text, for maps. */
export function keyText({ projectName, role, ecosystem, packageName, originVersion }: VulnerablePackageKey): string {
  return JSON.stringify([projectName, role, ecosystem, packageName, originVersion]);
}

export function keyOfRow(row: VulnerablePackageRow): VulnerablePackageKey {
  return {
    projectName: row.project_name,
    role: row.role,
    ecosystem: row.ecosystem,
    packageName: row.package_name,
    originVersion: row.package_version,
  };
}

/** The record as the API answers it. */
export function presentVulnerablePackage(row: VulnerablePackageRow): VulnerablePackage {
  return {
    package_name: row.package_name,
    package_version: row.package_version,
    ecosystem: ecosystems[row.ecosystem].wireName,
    project_name: row.project_name,
    fix_availability: row.fix_availability,
    sealed_package_name: row.sealed_version === null ? null : row.package_name,
    sealed_package_version: row.sealed_version,
    vulnerabilities: JSON.parse(row.vulnerabilities),
    is_hidden: row.is_hidden === 1,
    access_token_role: row.role === 'production' ? 'Production' : 'Development',
    first_seen_on: row.first_seen_on,
    last_seen_on: row.last_seen_on,
  };
}

/** `Production` and `Development` are how clients write the roles. */
export function roleFromWire(role: VulnerablePackage['access_token_role']): TokenRole {
  return role === 'Production' ? 'production' : 'development';
}
