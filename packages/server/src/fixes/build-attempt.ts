import { sealedVersionOf } from '@sealsmith/ecosystems';
import type { PackageName } from '../artifacts/sealed-package.ts';
import type { Builder, OriginArtifact, SealedArtifact } from '../builders/builder.ts';
import type { Builders } from '../builders/registry.ts';
import type { Db } from '../database/database.ts';
import type { FindBestPatchSet } from '../patches/stored-patch-set.ts';
import type { BlobStore } from '../platform/blobs/blob-store.ts';
import { type Clock, timestamp } from '../platform/clock.ts';
import type { TenantScope } from '../platform/tenancy.ts';
import type { FindVulnerabilities } from '../vulnerabilities/vulnerability.ts';
import { type BuildFacts, type BuildPlan, hasPatches, type PublishedSeal, planBuild } from './build-plan.ts';
import type { BuildReport } from './build-report.ts';
import type { ClaimedFix } from './fix-claim-store.ts';
import { findBuildReport } from './fix-store.ts';

export interface BuildAttemptDeps {
  db: Db;
  clock: Clock;
  builders: Builders;
  blobs: BlobStore;
  /** Every sealed version of a package with its patches. */
  listSealedWithContent: (db: Db, scope: TenantScope, name: PackageName) => Promise<PublishedSeal[]>;
  findBestPatchSet: FindBestPatchSet;
  findVulnerabilities: FindVulnerabilities;
}

/** What a build came to. Whatever its kind, nothing of it is visible to anybody yet. */
export type BuildOutcome =
  /** The blob is stored; the version waits to be published. */
  | { kind: 'built'; seal: PublishedSeal; vulnerabilities: string[]; report: BuildReport }
  /** The newest seal was made of the very same origin and patches. */
  | { kind: 'already_sealed'; sealedVersion: string; vulnerabilities: string[]; report: BuildReport }
  | { kind: 'refused'; reason: string; report: BuildReport | null };

/** Runs the stages of one claimed fix, the cheap refusals first: what the catalog cannot fix is never downloaded. */
export async function attemptBuild(deps: BuildAttemptDeps, claim: ClaimedFix): Promise<BuildOutcome> {
  const builder = deps.builders[claim.ecosystem];
  if (!builder.supported) return { kind: 'refused', reason: builder.reason, report: null };
  const facts = await readFacts(deps, claim);
  const plan = planBuild(claim, facts);
  if (plan.kind === 'refused') return { ...plan, report: null };
  const origin = await builder.fetchOrigin(claim.packageName, claim.originVersion);
  const sameSeal = await findSameSeal(deps, claim, { plan, origin, newestSeal: facts.newestSeal });
  return sameSeal ?? buildSeal(deps, claim, { builder, plan, origin });
}

type AcceptedPlan = Extract<BuildPlan, { kind: 'build' }>;

async function readFacts(deps: BuildAttemptDeps, claim: ClaimedFix): Promise<BuildFacts> {
  const { db } = deps;
  const { scope, originVersion, ...name } = claim;
  const [vulnerabilities = []] = await deps.findVulnerabilities(db, scope, [
    { ...name, packageVersion: originVersion },
  ]);
  const seals = (await deps.listSealedWithContent(db, scope, name)).filter(
    (seal) => seal.originVersion === originVersion,
  );
  const newestSeal = seals.toSorted((a, b) => b.iteration - a.iteration)[0] ?? null;
  return { patchSet: await deps.findBestPatchSet(db, scope, claim), vulnerabilities, newestSeal };
}

interface Candidate {
  plan: AcceptedPlan;
  origin: OriginArtifact;
  newestSeal: PublishedSeal | null;
}

/** Publishing the same thing under one more iteration would only make everybody update for nothing. */
async function findSameSeal(
  { db }: BuildAttemptDeps,
  { scope }: ClaimedFix,
  { plan, origin, newestSeal }: Candidate,
): Promise<BuildOutcome | null> {
  if (newestSeal === null || !hasPatches(newestSeal, plan.patches)) return null;
  const report = await findBuildReport(db, scope, newestSeal.fixId);
  if (report?.origin.integrity !== origin.integrity) return null;
  const { sealedVersion } = newestSeal;
  return { kind: 'already_sealed', sealedVersion, vulnerabilities: plan.coverage.vulnerabilities, report };
}

async function buildSeal(
  deps: BuildAttemptDeps,
  claim: ClaimedFix,
  { builder, plan, origin }: { builder: Builder; plan: AcceptedPlan; origin: OriginArtifact },
): Promise<BuildOutcome> {
  const { packageName: name, originVersion } = claim;
  const { iteration, patches, patchSet } = plan;
  const result = await builder.build({ name, originVersion, iteration, patches, origin });
  const { fileName, integrity } = origin;
  const report = { origin: { fileName, integrity }, patchSetIteration: patchSet.iteration, patches: result.report };
  if (result.kind === 'refused') {
    return {
      kind: 'refused',
      reason: `The patches cannot be applied to ${name} ${originVersion}: ${result.reason}.`,
      report,
    };
  }
  await storeBlob(deps.blobs, result.artifact);
  const seal = sealOf(claim, plan, { artifact: result.artifact, publishedOn: timestamp(deps.clock) });
  return { kind: 'built', seal, vulnerabilities: plan.coverage.vulnerabilities, report };
}

/** Before anything refers to it. A blob that nothing comes to refer to does no harm: the next attempt makes the same one. */
async function storeBlob(blobs: BlobStore, { bytes, sha256 }: SealedArtifact): Promise<void> {
  const stored = await blobs.put(bytes);
  if (stored !== sha256)
    throw new Error(`the builder states the digest ${sha256} for an artifact whose digest is ${stored}`);
}

function sealOf(
  { id, ecosystem, packageName, originVersion }: ClaimedFix,
  { iteration, coverage, patches }: AcceptedPlan,
  { artifact, publishedOn }: { artifact: SealedArtifact; publishedOn: string },
): PublishedSeal {
  return {
    ecosystem,
    packageName,
    originVersion,
    iteration,
    sealedVersion: sealedVersionOf(ecosystem, originVersion, iteration),
    fixId: id,
    fileName: artifact.fileName,
    sha256: artifact.sha256,
    shasum: artifact.shasum,
    integrity: artifact.integrity,
    sizeBytes: artifact.bytes.length,
    closedIdentifiers: coverage.identifiers,
    manifest: artifact.manifest,
    patches,
    publishedOn,
  };
}
