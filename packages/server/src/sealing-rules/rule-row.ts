import type { Selectable } from 'kysely';
import type { RuleIdRange } from '../database/database.ts';
import type { SealingRulesTable } from '../database/schema.ts';
import { foldText } from '../platform/fold-text.ts';
import type { TenantScope } from '../platform/tenancy.ts';
import { packageKey } from './package-key.ts';
import { presentRule, type RuleOutcome, type StoredRule } from './rule.ts';

/** The upper bits of a rule's id are its tenant, the lower 32 count the tenant's rules up in the order of their creation. */
const idsPerTenant = 2 ** 32;

/** The ids that a tenant's rules have, both included. */
export function idRange(tenantId: number): RuleIdRange {
  return { first: tenantId * idsPerTenant + 1, last: (tenantId + 1) * idsPerTenant - 1 };
}

/** Every column but the id. */
export function toRow({ tenantId }: TenantScope, rule: StoredRule) {
  const { scope, subject, outcome, createdOn } = rule;
  const projectName = scope.kind === 'project' ? scope.projectName : null;
  const named = subject.kind === 'package-version' ? subject : null;
  return {
    tenant_id: tenantId,
    project_name: projectName,
    package_name: named?.packageName ?? null,
    package_version: named?.packageVersion ?? null,
    sealed_name: named?.sealedName ?? null,
    outcome: outcome.kind,
    pinned_version: outcome.kind === 'pinned' ? outcome.sealedVersion : null,
    project_folded: projectName === null ? null : foldText(projectName),
    package_folded: named ? foldText(named.packageName) : null,
    package_key: named ? packageKey(named.packageName) : null,
    created_on: createdOn,
    wire: JSON.stringify(presentRule(rule)),
  };
}

export function fromRow(row: Selectable<SealingRulesTable>): StoredRule {
  const { package_name, package_version, sealed_name } = row;
  const isNamed = package_name !== null && package_version !== null && sealed_name !== null;
  return {
    scope: row.project_name === null ? { kind: 'tenant' } : { kind: 'project', projectName: row.project_name },
    subject: isNamed
      ? { kind: 'package-version', packageName: package_name, packageVersion: package_version, sealedName: sealed_name }
      : { kind: 'every-package' },
    outcome: outcomeOf(row),
    createdOn: row.created_on,
  };
}

function outcomeOf({ outcome, pinned_version }: Selectable<SealingRulesTable>): RuleOutcome {
  if (outcome !== 'pinned') return { kind: outcome };
  if (pinned_version === null) throw new Error('a pinned rule without a version, which the table forbids');
  return { kind: 'pinned', sealedVersion: pinned_version };
}
