import type { Db } from '../database/database.ts';
import { type Clock, timestamp } from '../platform/clock.ts';
import { createId } from '../platform/ids.ts';
import type { TenantScope } from '../platform/tenancy.ts';

export interface AuditEntry {
  /** A token id, a user id, or `operator`. */
  actor: string;
  /** `rule.created`, `token.revoked`, … */
  action: string;
  subject: string;
  detail?: Record<string, unknown>;
}

/** Appends to the audit log; `transaction` is the one that makes the recorded change. */
export async function recordAudit(
  transaction: Db,
  { tenantId }: TenantScope,
  clock: Clock,
  { actor, action, subject, detail = {} }: AuditEntry,
): Promise<void> {
  await transaction
    .insertInto('audit_entries')
    .values({
      tenant_id: tenantId,
      id: createId(clock),
      actor,
      action,
      subject,
      detail: JSON.stringify(detail),
      created_on: timestamp(clock),
    })
    .execute();
}
