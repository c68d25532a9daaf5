import { recordAudit } from '../audit/record-audit.ts';
import { IntegrityError } from '../builders/integrity-error.ts';
import type { Database, Db } from '../database/database.ts';
import { inTransaction } from '../database/transaction.ts';
import { AppError } from '../platform/app-error.ts';
import type { Logger } from '../platform/logger.ts';
import type { TenantScope } from '../platform/tenancy.ts';
import type { RefreshStates } from '../vulnerabilities/state-refresh.ts';
import { attemptBuild, type BuildAttemptDeps, type BuildOutcome } from './build-attempt.ts';
import type { PublishedSeal } from './build-plan.ts';
import {
  type ClaimedFix,
  claimFix,
  type FixEnd,
  finishFix,
  type Lease,
  renewLease,
  requeueFix,
} from './fix-claim-store.ts';
import { whileLeased } from './lease-keeper.ts';

export const attemptsMax = 3;
const retryDelayMs = 30_000;
const retryDelayFactor = 4;
/** A patch of many files can be refused for as many reasons. */
const reasonCharactersMax = 2_000;

export interface BuildJobDeps extends Omit<BuildAttemptDeps, 'db'>, Lease {
  database: Database;
  publish: (transaction: Db, scope: TenantScope, seal: PublishedSeal) => Promise<void>;
  refresh: RefreshStates;
  log: Logger;
}

export interface BuildJob {
  /** Takes one fix as far as it goes. @returns false when none was waiting */
  runOnce(): Promise<boolean>;
}

/**
 * Builds the sealed versions that were asked for. Until the one transaction at the end nothing can be seen from outside,
 * so that a worker may end anywhere: when its lease is over, another does the whole again.
 */
export function createBuildJob(deps: BuildJobDeps): BuildJob {
  const { database, clock } = deps;
  return {
    runOnce: async () => {
      const claim = await claimFix(database, clock, deps);
      if (claim === null) return false;
      const log = deps.log.child({ tenantId: claim.scope.tenantId, fixId: claim.id, attempt: claim.attempt });
      await runClaim({ ...deps, log }, claim);
      return true;
    },
  };
}

async function runClaim(deps: BuildJobDeps, claim: ClaimedFix): Promise<void> {
  const { database, clock, log, leaseMs } = deps;
  if (claim.attempt > attemptsMax) {
    const reason = `The worker ended before the build was done, and after ${attemptsMax} attempts it is not tried again.`;
    return commit(deps, claim, endWith('failed', reason));
  }
  const keeper = { renew: () => renewLease(database.db, clock, claim, leaseMs), intervalMs: leaseMs / 3, log };
  try {
    const outcome = await whileLeased(keeper, () => attemptBuild({ ...deps, db: database.db }, claim));
    await commit(deps, claim, endOf(outcome), outcome.kind === 'built' ? outcome.seal : null);
  } catch (error) {
    if (error instanceof AppError && error.code === 'package_version_not_found') {
      return commit(deps, claim, endWith('unfixable', error.detail));
    }
    await retryLater(deps, claim, error);
  }
}

/** One transaction: the version is published, the fix is over and the states say so, or none of it. */
async function commit(
  deps: BuildJobDeps,
  claim: ClaimedFix,
  end: FixEnd,
  seal: PublishedSeal | null = null,
): Promise<void> {
  const { database, clock, log } = deps;
  const { scope, ecosystem, packageName, originVersion } = claim;
  const isCommitted = await inTransaction(database, async (transaction) => {
    if (!(await finishFix(transaction, clock, claim, end))) return false;
    // That the iteration is still free is the table's own key: if it is not, nothing is written and the fix is tried again.
    if (seal) await deps.publish(transaction, scope, seal);
    await deps.refresh(transaction, scope, { kind: 'packages', packages: [{ ecosystem, packageName }] });
    await recordAudit(transaction, scope, clock, {
      actor: 'worker',
      action: `fix.${end.status}`,
      subject: claim.id,
      detail: {
        package: `${ecosystem} ${packageName} ${originVersion}`,
        sealedVersion: end.sealedVersion,
        reason: end.reason,
      },
    });
    return true;
  });
  if (isCommitted) log.info({ status: end.status, sealedVersion: end.sealedVersion }, 'a fix has ended');
  else log.warn('a fix was taken over by another worker; this build is thrown away');
}

async function retryLater(deps: BuildJobDeps, claim: ClaimedFix, error: unknown): Promise<void> {
  const { database, clock, log } = deps;
  const reason = describeFailure(error);
  if (reason === defectReason) log.error({ err: error }, 'an attempt to build a fix ran into a defect');
  else log.warn({ err: error }, 'an attempt to build a fix has failed');
  if (claim.attempt >= attemptsMax) {
    return commit(deps, claim, endWith('failed', `${reason} This was attempt ${claim.attempt}, the last one.`));
  }
  await requeueFix(database.db, clock, claim, retryDelayMs * retryDelayFactor ** (claim.attempt - 1));
}

const defectReason = 'Something went wrong inside the service; its log has the cause.';

/** A sentence that the owner of the fix may read. */
function describeFailure(error: unknown): string {
  if (error instanceof AppError) return error.detail;
  if (error instanceof IntegrityError) return `What upstream sent was refused: ${error.message}.`;
  return defectReason;
}

function endOf(outcome: BuildOutcome): FixEnd {
  switch (outcome.kind) {
    case 'built':
      return { ...succeeded(outcome), sealedVersion: outcome.seal.sealedVersion };
    case 'already_sealed':
      return { ...succeeded(outcome), sealedVersion: outcome.sealedVersion };
    case 'refused':
      return { ...endWith('unfixable', outcome.reason), report: outcome.report };
  }
}

function succeeded({ vulnerabilities, report }: Exclude<BuildOutcome, { kind: 'refused' }>) {
  return { status: 'succeeded', reason: null, closedIdentifiers: vulnerabilities, report } as const;
}

function endWith(status: 'unfixable' | 'failed', reason: string): FixEnd {
  return {
    status,
    reason: reason.slice(0, reasonCharactersMax),
    sealedVersion: null,
    closedIdentifiers: [],
    report: null,
  };
}
