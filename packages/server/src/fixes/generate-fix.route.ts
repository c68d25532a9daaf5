import { basePath, endpoints } from '@sealsmith/contract';
import type { ListSealedPackages, SealedPackage } from '../artifacts/sealed-package.ts';
import { recordAudit } from '../audit/record-audit.ts';
import type { Database } from '../database/database.ts';
import { inTransaction } from '../database/transaction.ts';
import { AppError } from '../platform/app-error.ts';
import type { Clock } from '../platform/clock.ts';
import { defineRoute, type RouteReply } from '../platform/http/route.ts';
import type { Caller } from '../platform/tenancy.ts';
import { isClosedBy } from '../vulnerabilities/closed-by.ts';
import type { RefreshStates } from '../vulnerabilities/state-refresh.ts';
import type { FindVulnerabilities, KnownVulnerability } from '../vulnerabilities/vulnerability.ts';
import { findByName, missingIdentifiers, namesOf } from './coverage.ts';
import { presentFix, type StoredFix } from './fix.ts';
import { type FixRequest, readFixRequest } from './fix-request.ts';
import { createFix, findFix, findFixUnderWay } from './fix-store.ts';
import type { OriginExists } from './origin-exists.ts';

export interface GenerateFixDeps {
  database: Database;
  clock: Clock;
  listSealed: ListSealedPackages;
  findVulnerabilities: FindVulnerabilities;
  originExists: OriginExists;
  refresh: RefreshStates;
  /** Wakes a worker of this process; those of others find the fix when they next look. */
  notifyWorker: () => void;
}

/** A request loses against another only when that one has just queued the fix, and then finds it the next time round. */
const roundsMax = 3;

export function generateFixRoute(deps: GenerateFixDeps) {
  return defineRoute(endpoints.generateFix, async ({ body }, { caller, publicUrl }): Promise<RouteReply> => {
    const request = readFixRequest(body);
    for (let round = 1; round <= roundsMax; round++) {
      const earlier = await findEarlier(deps, caller, request);
      if (earlier) return { status: 200, body: presentFix(earlier) };
      const queued = await queueFix(deps, caller, request);
      if (queued) {
        deps.notifyWorker();
        return { status: 202, body: presentFix(queued), headers: { location: locationOf(publicUrl, queued.id) } };
      }
    }
    throw new Error('fixes of one version began and ended faster than they could be found');
  });
}

/** Relative to the host, which the client knows best; the service may lie below a path there. */
function locationOf(publicUrl: string, fixId: string): string {
  return `${new URL(publicUrl).pathname.replace(/\/$/, '')}${basePath}/fixes/${fixId}`;
}

/** The fix under way, or the one behind a seal that closes all that is asked; null when there is something to do. */
async function findEarlier(deps: GenerateFixDeps, caller: Caller, request: FixRequest): Promise<StoredFix | null> {
  const { db } = deps.database;
  const underWay = await findFixUnderWay(db, caller, request);
  if (underWay) return underWay;
  const vulnerabilities = await findVulnerabilitiesOf(deps, caller, request);
  const seal = await findNewestSeal(deps, caller, request);
  if (seal && closesEverything(seal, vulnerabilities, request)) return findFix(db, caller, seal.fixId);
  await assertExists(deps, request);
  assertVulnerable(vulnerabilities, request);
  return null;
}

async function findVulnerabilitiesOf(
  { database, findVulnerabilities }: GenerateFixDeps,
  caller: Caller,
  { ecosystem, packageName, originVersion }: FixRequest,
): Promise<KnownVulnerability[]> {
  const subject = { ecosystem, packageName, packageVersion: originVersion };
  const [vulnerabilities = []] = await findVulnerabilities(database.db, caller, [subject]);
  return vulnerabilities;
}

async function findNewestSeal(
  { database, listSealed }: GenerateFixDeps,
  caller: Caller,
  request: FixRequest,
): Promise<SealedPackage | null> {
  const seals = (await listSealed(database.db, caller, [request])).filter(
    ({ originVersion }) => originVersion === request.originVersion,
  );
  return seals.toSorted((a, b) => b.iteration - a.iteration)[0] ?? null;
}

function closesEverything(
  { closedIdentifiers }: SealedPackage,
  vulnerabilities: readonly KnownVulnerability[],
  { requestedIdentifiers }: FixRequest,
): boolean {
  const closed = vulnerabilities.filter((vulnerability) => isClosedBy(closedIdentifiers, vulnerability));
  if (requestedIdentifiers.length === 0) return closed.length === vulnerabilities.length;
  return missingIdentifiers(requestedIdentifiers, [...closedIdentifiers, ...closed.flatMap(namesOf)]).length === 0;
}

async function assertExists({ originExists }: GenerateFixDeps, request: FixRequest): Promise<void> {
  const { ecosystem, packageName, originVersion } = request;
  if (await originExists(ecosystem, packageName, originVersion)) return;
  throw new AppError(
    'package_version_not_found',
    `The upstream registry does not have ${packageName} ${originVersion}.`,
  );
}

function assertVulnerable(vulnerabilities: readonly KnownVulnerability[], request: FixRequest): void {
  const version = `${request.packageName} ${request.originVersion}`;
  if (vulnerabilities.length === 0) {
    throw new AppError('not_vulnerable', `No vulnerability is known of ${version}.`);
  }
  const foreign = request.requestedIdentifiers.filter((name) => !findByName(vulnerabilities, name));
  if (foreign.length === 0) return;
  const detail = `Nothing on record says that ${foreign.join(', ')} concerns ${version}.`;
  throw new AppError('not_vulnerable', detail, {
    problems: foreign.map((name) => ({
      location: 'body',
      name: 'vulnerability_identifiers',
      message: `${name} is not known to concern ${version}`,
    })),
  });
}

/** @returns null when another request was faster */
function queueFix(deps: GenerateFixDeps, caller: Caller, request: FixRequest): Promise<StoredFix | null> {
  const { database, clock, refresh } = deps;
  const { ecosystem, packageName, originVersion, requestedIdentifiers } = request;
  return inTransaction(database, async (transaction) => {
    const fix = await createFix(transaction, caller, clock, request);
    if (!fix) return null;
    await refresh(transaction, caller, { kind: 'packages', packages: [{ ecosystem, packageName }] });
    await recordAudit(transaction, caller, clock, {
      actor: caller.tokenId,
      action: 'fix.requested',
      subject: fix.id,
      detail: { package: `${ecosystem} ${packageName} ${originVersion}`, requestedIdentifiers },
    });
    return fix;
  });
}
