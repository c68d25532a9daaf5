import { endpoints } from '@sealsmith/contract';
import { ecosystemFromWire, InvalidNameError, normalizeName, parseSealedVersion } from '@sealsmith/ecosystems';
import type { AppliedPatch, PackageName } from '../artifacts/sealed-package.ts';
import type { Db } from '../database/database.ts';
import type { PublishedSeal } from '../fixes/build-plan.ts';
import type { FindBuildReport } from '../fixes/build-report.ts';
import { findByName, missingIdentifiers } from '../fixes/coverage.ts';
import { AppError } from '../platform/app-error.ts';
import { defineRoute } from '../platform/http/route.ts';
import type { TenantScope } from '../platform/tenancy.ts';
import { isClosedBy } from '../vulnerabilities/closed-by.ts';
import { normalizeIdentifier } from '../vulnerabilities/identifiers.ts';
import type { Advisory } from '../vulnerabilities/osv-record.ts';
import type { FindVulnerabilities, KnownVulnerability } from '../vulnerabilities/vulnerability.ts';
import { hasMetVersion } from './library-version-store.ts';
import type { OriginVersion } from './stored-patch-set.ts';
import { validationPrompt } from './validation-prompt.ts';

export interface ValidationPromptDeps {
  db: Db;
  findVulnerabilities: FindVulnerabilities;
  /** The advisories that stand under this id or alias, whatever versions they concern. */
  findAdvisoriesByIdentifier: (db: Db, scope: TenantScope, identifier: string) => Promise<Advisory[]>;
  /** Every sealed version of a package with its patches. */
  listSealedWithContent: (db: Db, scope: TenantScope, name: PackageName) => Promise<PublishedSeal[]>;
  findBuildReport: FindBuildReport;
}

/**
 * The three that may be missing are looked for in the order of the contract. `vulnerable_version` is the origin version
 * and nothing else: a sealed version is no vulnerable version, and to answer for its origin would validate something that
 * was not asked about. The prompt is about the newest sealed version, which holds the fixes of all before it.
 */
export function getValidationPromptRoute(deps: ValidationPromptDeps) {
  return defineRoute(endpoints.getValidationPrompt, async ({ query }, { caller }) => {
    const { db } = deps;
    const version = readVersion(query);
    const [vulnerabilities = []] = await deps.findVulnerabilities(db, caller, [
      { ...version, packageVersion: version.originVersion },
    ]);
    const isKnown = vulnerabilities.length > 0 || (await hasMetVersion(db, caller, version));
    if (!isKnown) throw libraryVersionNotFound(query);
    const seal = await findNewestSeal(deps, caller, version);
    const asked = { identifier: query.vulnerability_identifier, version, seal };
    const vulnerability = await findImpact(deps, caller, { ...asked, vulnerabilities });
    const { patches, otherPatches } = divide(seal.patches, vulnerability);
    const report = await deps.findBuildReport(db, caller, seal.fixId);
    return { status: 200, text: validationPrompt({ vulnerability, seal, patches, otherPatches, report }) };
  });
}

/** Where aliases have changed since, none may name it any more; then all of them are what closes it. */
function divide(all: readonly AppliedPatch[], vulnerability: KnownVulnerability) {
  const patches = all.filter(({ identifiers }) => isClosedBy(identifiers, vulnerability));
  if (patches.length === 0) return { patches: all, otherPatches: [] };
  return { patches, otherPatches: all.filter((patch) => !patches.includes(patch)) };
}

interface Query {
  ecosystem: string;
  package_name: string;
  vulnerable_version: string;
}

/** A name that its ecosystem does not allow, and a sealed version, are versions that nobody can have on record. */
function readVersion(query: Query): OriginVersion {
  const ecosystem = ecosystemFromWire(query.ecosystem);
  if (ecosystem === null || parseSealedVersion(ecosystem, query.vulnerable_version) !== null) {
    throw libraryVersionNotFound(query);
  }
  try {
    const packageName = normalizeName(ecosystem, query.package_name);
    return { ecosystem, packageName, originVersion: query.vulnerable_version };
  } catch (error) {
    if (error instanceof InvalidNameError) throw libraryVersionNotFound(query);
    throw error;
  }
}

function libraryVersionNotFound({ ecosystem, package_name, vulnerable_version }: Query): AppError {
  return new AppError(
    'library_version_not_found',
    `The library version is missing: nothing is on record about ${ecosystem} ${package_name} ${vulnerable_version} as an origin version.`,
  );
}

async function findNewestSeal(
  deps: ValidationPromptDeps,
  scope: TenantScope,
  version: OriginVersion,
): Promise<PublishedSeal> {
  const seals = await deps.listSealedWithContent(deps.db, scope, version);
  const [newest] = seals
    .filter(({ originVersion }) => originVersion === version.originVersion)
    .sort((a, b) => b.iteration - a.iteration);
  if (newest) return newest;
  throw new AppError(
    'sealed_version_not_found',
    `The sealed version is missing: none is published for ${version.packageName} ${version.originVersion}.`,
  );
}

interface Impact {
  identifier: string;
  version: OriginVersion;
  seal: PublishedSeal;
  /** Those of the origin version. */
  vulnerabilities: readonly KnownVulnerability[];
}

/** The vulnerability that concerns the origin version and that the seal closes. */
async function findImpact(deps: ValidationPromptDeps, scope: TenantScope, impact: Impact): Promise<KnownVulnerability> {
  const { identifier, seal, vulnerabilities } = impact;
  const known = findByName(vulnerabilities, identifier);
  if (known) {
    if (isClosedBy(seal.closedIdentifiers, known)) return known;
    throw impactNotFound(impact, `is not among those that ${seal.sealedVersion} closes`);
  }
  if (missingIdentifiers([identifier], seal.closedIdentifiers).length > 0) {
    throw impactNotFound(impact, 'is not known to concern this version');
  }
  const elsewhere = await deps.findAdvisoriesByIdentifier(deps.db, scope, identifier);
  if (elsewhere.length > 0) throw impactNotFound(impact, 'does not concern this version by the advisories on record');
  return claimedOnly(identifier);
}

function impactNotFound({ identifier, version }: Impact, problem: string): AppError {
  return new AppError(
    'vulnerability_impact_not_found',
    `The matching vulnerability impact is missing: ${identifier} ${problem} (${version.packageName} ${version.originVersion}).`,
  );
}

/** What a patch names and no advisory speaks of. */
function claimedOnly(identifier: string): KnownVulnerability {
  return {
    identifier: normalizeIdentifier(identifier),
    aliases: [],
    severity: 'unknown',
    cvssScore: null,
    advisories: [],
  };
}
