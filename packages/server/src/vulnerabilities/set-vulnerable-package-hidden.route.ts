import { type EndpointInput, endpoints } from '@sealsmith/contract';
import { ecosystemFromWire, InvalidNameError, normalizeName, originVersionOf } from '@sealsmith/ecosystems';
import { recordAudit } from '../audit/record-audit.ts';
import type { Database } from '../database/database.ts';
import { inTransaction } from '../database/transaction.ts';
import { AppError } from '../platform/app-error.ts';
import type { Clock } from '../platform/clock.ts';
import { defineRoute } from '../platform/http/route.ts';
import { presentVulnerablePackage, roleFromWire, type VulnerablePackageKey } from './vulnerable-package.ts';
import { setHidden } from './vulnerable-package-store.ts';

export function setVulnerablePackageHiddenRoute({ database, clock }: { database: Database; clock: Clock }) {
  return defineRoute(endpoints.setVulnerablePackageHidden, async ({ body }, { caller }) => {
    const key = keyOf(body);
    if (key === null) throw notFound(body);
    const row = await inTransaction(database, async (transaction) => {
      const changed = await setHidden(transaction, caller, key, body.is_hidden);
      if (changed === null) throw notFound(body);
      const action = body.is_hidden ? 'vulnerable_package.hidden' : 'vulnerable_package.shown';
      const subject = `${key.packageName} ${key.originVersion}`;
      await recordAudit(transaction, caller, clock, { actor: caller.tokenId, action, subject, detail: { ...key } });
      return changed;
    });
    return { status: 200, body: presentVulnerablePackage(row) };
  });
}

type Body = EndpointInput<typeof endpoints.setVulnerablePackageHidden>['body'];

/** null for a name that no package of the ecosystem has. */
function keyOf(body: Body): VulnerablePackageKey | null {
  const ecosystem = ecosystemFromWire(body.ecosystem);
  if (ecosystem === null) return null;
  try {
    return {
      projectName: body.project_name,
      role: roleFromWire(body.access_token_role),
      ecosystem,
      packageName: normalizeName(ecosystem, body.package_name),
      originVersion: originVersionOf(ecosystem, body.package_version),
    };
  } catch (error) {
    if (error instanceof InvalidNameError) return null;
    throw error;
  }
}

function notFound({ package_name, package_version, project_name }: Body): AppError {
  return new AppError(
    'not_found',
    `No vulnerable package ${package_name} ${package_version} is recorded in the project "${project_name}".`,
  );
}
