import type { Fix, FixStatus } from '@sealsmith/contract';
import { ecosystems } from '@sealsmith/ecosystems';
import type { PackageName } from '../artifacts/sealed-package.ts';

/** A request to seal one package version, and what became of it. */
export interface StoredFix extends PackageName {
  id: string;
  originVersion: string;
  /** As they were asked for; empty for everything. */
  requestedIdentifiers: string[];
  status: FixStatus;
  /** Why it is unfixable or failed. */
  reason: string | null;
  sealedVersion: string | null;
  /** What the sealed version closes, each vulnerability by its preferred identifier. */
  closedIdentifiers: string[];
  createdOn: string;
  updatedOn: string;
}

export function presentFix(fix: StoredFix): Fix {
  return {
    id: fix.id,
    ecosystem: ecosystems[fix.ecosystem].wireName,
    package_name: fix.packageName,
    vulnerable_version: fix.originVersion,
    vulnerability_identifiers: fix.requestedIdentifiers,
    status: fix.status,
    reason: fix.reason,
    sealed_package_name: fix.sealedVersion === null ? null : fix.packageName,
    sealed_package_version: fix.sealedVersion,
    vulnerabilities: fix.closedIdentifiers,
    created_on: fix.createdOn,
    updated_on: fix.updatedOn,
  };
}
