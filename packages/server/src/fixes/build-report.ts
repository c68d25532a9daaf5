import type { PatchReport } from '../builders/apply-patch.ts';
import type { Db } from '../database/database.ts';
import type { TenantScope } from '../platform/tenancy.ts';

/** What a build was made from and how the patches went in: the evidence behind a sealed version. */
export interface BuildReport {
  /** What upstream publishes for the origin version; the digest was checked. */
  origin: { fileName: string; integrity: string };
  /** Iteration of the patch set in the catalog, which need not be that of the sealed version. */
  patchSetIteration: number;
  patches: PatchReport[];
}

/** The report of a fix; null when it never came to a build. */
export type FindBuildReport = (db: Db, scope: TenantScope, fixId: string) => Promise<BuildReport | null>;
