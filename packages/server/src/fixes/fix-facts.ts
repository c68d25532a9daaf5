import type { FixStatus } from '@sealsmith/contract';
import type { PackageName } from '../artifacts/sealed-package.ts';
import type { Db } from '../database/database.ts';
import type { TenantScope } from '../platform/tenancy.ts';

/** The newest fix of a package version. */
export interface FixFact extends PackageName {
  originVersion: string;
  status: FixStatus;
  createdOn: string;
}

/** The newest fix of every version of these packages. */
export type ListFixFacts = (db: Db, scope: TenantScope, names: readonly PackageName[]) => Promise<FixFact[]>;
