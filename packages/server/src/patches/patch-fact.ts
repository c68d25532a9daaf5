import type { PackageName } from '../artifacts/sealed-package.ts';
import type { Db } from '../database/database.ts';
import type { TenantScope } from '../platform/tenancy.ts';

/** That the catalog has patches for a package version, and what its highest iteration closes. */
export interface PatchFact extends PackageName {
  originVersion: string;
  iteration: number;
  identifiers: string[];
  importedOn: string;
}

/** The highest iteration that the tenant sees of every version of these packages. */
export type ListPatchFacts = (db: Db, scope: TenantScope, names: readonly PackageName[]) => Promise<PatchFact[]>;
