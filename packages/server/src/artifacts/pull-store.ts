import type { EcosystemId } from '@sealsmith/ecosystems';
import type { Db } from '../database/database.ts';
import type { TenantScope } from '../platform/tenancy.ts';

/** How often an artifact was downloaded for a project in a span of time. */
export interface PullCount {
  /** Empty when the client named none. */
  projectName: string;
  ecosystem: EcosystemId;
  packageName: string;
  packageVersion: string;
  count: number;
  firstOn: string;
  lastOn: string;
}

const rowsPerInsert = 500;

/** Adds to what is recorded already. The pulls differ in project or package version. */
export async function addPulls(transaction: Db, { tenantId }: TenantScope, pulls: readonly PullCount[]): Promise<void> {
  for (let start = 0; start < pulls.length; start += rowsPerInsert) {
    const rows = pulls.slice(start, start + rowsPerInsert).map((pull) => ({
      tenant_id: tenantId,
      project_name: pull.projectName,
      ecosystem: pull.ecosystem,
      package_name: pull.packageName,
      package_version: pull.packageVersion,
      pull_count: pull.count,
      first_on: pull.firstOn,
      last_on: pull.lastOn,
    }));
    await transaction
      .insertInto('pulls')
      .values(rows)
      .onConflict((conflict) =>
        conflict
          .columns(['tenant_id', 'project_name', 'ecosystem', 'package_name', 'package_version'])
          .doUpdateSet(({ eb, ref }) => ({
            pull_count: eb('pulls.pull_count', '+', ref('excluded.pull_count')),
            last_on: ref('excluded.last_on'),
          })),
      )
      .execute();
  }
}
