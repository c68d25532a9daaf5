import type { SealedPackage } from '../artifacts/sealed-package.ts';
import type { Db } from '../database/database.ts';
import type { TenantScope } from '../platform/tenancy.ts';
import type { RuleTarget } from './precedence.ts';
import type { StoredRule } from './rule.ts';

/** What the rules do to one package version. */
export type Resolution = {
  /** The rules that match but lost, most targeted first. */
  losers: StoredRule[];
} & (
  | { outcome: 'sealed'; rule: StoredRule; sealed: SealedPackage }
  | { outcome: 'origin'; rule: StoredRule }
  /** A rule decides, but what it leads to is not published. */
  | { outcome: 'unresolved'; rule: StoredRule; missing: string }
  | { outcome: 'no_rule'; rule: null }
);

/** Resolves packages of a tenant by its stored rules, in order. */
export type ResolvePackages = (db: Db, scope: TenantScope, targets: readonly RuleTarget[]) => Promise<Resolution[]>;
