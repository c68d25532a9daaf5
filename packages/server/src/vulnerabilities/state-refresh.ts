import type { TokenRole } from '@sealsmith/contract';
import type { PackageName } from '../artifacts/sealed-package.ts';
import type { Db } from '../database/database.ts';
import type { TenantScope } from '../platform/tenancy.ts';

/** Whose states may have changed. */
export type StateSelection =
  /** These packages, in every project: an advisory, a seal, a patch or a fix changed. */
  | { kind: 'packages'; packages: readonly PackageName[] }
  /** Packages by the name that a rule gives them, in one project or in all (null). */
  | { kind: 'rule-subject'; packageName: string | null; projectName: string | null }
  /** Everything that a project reported with tokens of one role: it was scanned. */
  | { kind: 'project'; projectName: string; role: TokenRole };

/** Brings `vulnerable_packages` of a tenant up to date, in the transaction that made the change. */
export type RefreshStates = (transaction: Db, scope: TenantScope, selection: StateSelection) => Promise<void>;
