import { endpoints } from '@sealsmith/contract';
import { recordAudit } from '../audit/record-audit.ts';
import type { Database } from '../database/database.ts';
import { inTransaction } from '../database/transaction.ts';
import { AppError } from '../platform/app-error.ts';
import type { Clock } from '../platform/clock.ts';
import { defineRoute } from '../platform/http/route.ts';
import { createProject, findProject } from './project-store.ts';

export function createProjectRoute({ database, clock }: { database: Database; clock: Clock }) {
  return defineRoute(endpoints.createProject, async ({ body: { name } }, { caller }) => {
    const project = await inTransaction(database, async (transaction) => {
      if (!(await createProject(transaction, caller, clock, name))) {
        throw new AppError('project_exists', `There is a project named "${name}" already.`);
      }
      const entry = { actor: caller.tokenId, action: 'project.created', subject: name };
      await recordAudit(transaction, caller, clock, entry);
      return findProject(transaction, caller, name);
    });
    return { status: 201, body: project };
  });
}
