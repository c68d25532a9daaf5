import {
  endpoints,
  packageReferenceSchema,
  type ResolvedPackage,
  type ResolveResponse,
  type SealingRuleInput,
} from '@sealsmith/contract';
import {
  type EcosystemId,
  ecosystemFromWire,
  ecosystems,
  InvalidNameError,
  normalizeName,
} from '@sealsmith/ecosystems';
import type { ListSealedPackages, SealedPackage } from '../artifacts/sealed-package.ts';
import type { Database } from '../database/database.ts';
import { AppError } from '../platform/app-error.ts';
import { type Clock, timestamp } from '../platform/clock.ts';
import { parse } from '../platform/http/input.ts';
import { defineRoute } from '../platform/http/route.ts';
import { explainLoss, explainResolution } from './explain.ts';
import type { RuleTarget } from './precedence.ts';
import type { Resolution } from './resolution.ts';
import { parseRule, presentRule, type StoredRule } from './rule.ts';
import { createRuleResolver } from './rule-resolver.ts';

interface Deps {
  database: Database;
  clock: Clock;
  listSealed: ListSealedPackages;
  /** Path of an artifact below the service's public URL; null where it is not served. */
  artifactPath(sealed: SealedPackage): string | null;
}

type Item = ResolveResponse['items'][number];

export function resolveSealingRulesRoute({ database, clock, listSealed, artifactPath }: Deps) {
  return defineRoute(endpoints.resolveSealingRules, async ({ body }, { caller, publicUrl }) => {
    const drafts = (body.draft_rules ?? []).map((draft, index) => parseDraft(draft, index, timestamp(clock)));
    const targets = body.packages.map((item, index) => parseItem(item, index, body.project_name));
    const resolve = createRuleResolver({ listSealed, drafts });
    const readable = targets.filter((target): target is RuleTarget => !(target instanceof AppError));
    const resolutions = await resolve(database.db, caller, readable);
    const results = new Map(readable.map((target, index) => [target, resolutions[index]]));
    const items = targets.map((target): Item => {
      if (target instanceof AppError) return { outcome: 'error', error: { code: target.code, detail: target.detail } };
      const resolution = results.get(target);
      if (!resolution) throw new Error('every readable item has a resolution');
      const path = resolution.outcome === 'sealed' ? artifactPath(resolution.sealed) : null;
      return present(target, resolution, { drafts, url: path && publicUrl + path });
    });
    return { status: 200, body: { items } };
  });
}

function parseDraft(draft: SealingRuleInput, index: number, createdOn: string): StoredRule {
  try {
    return { ...parseRule(draft), createdOn };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new AppError(error.code, `draft_rules[${index}]: ${error.detail}`, {
      cause: error,
      problems: error.problems,
    });
  }
}

/** One bad item is an error on that item, not on the call. */
function parseItem(item: unknown, index: number, projectName: string): RuleTarget | AppError {
  try {
    const { ecosystem, package_name, package_version } = parse(packageReferenceSchema, item, 'body');
    const id = ecosystemIdOf(ecosystem);
    return {
      projectName,
      ecosystem: id,
      packageName: normalizeName(id, package_name),
      packageVersion: package_version,
    };
  } catch (error) {
    if (error instanceof AppError) return new AppError(error.code, `packages[${index}]: ${error.detail}`);
    if (error instanceof InvalidNameError)
      return new AppError('invalid_parameter', `packages[${index}]: ${error.message}`);
    throw error;
  }
}

function ecosystemIdOf(wireName: string): EcosystemId {
  const id = ecosystemFromWire(wireName);
  if (id === null) throw new Error('the schema lets known ecosystems through only');
  return id;
}

function present(
  target: RuleTarget,
  resolution: Resolution,
  { drafts, url }: { drafts: readonly StoredRule[]; url: string | null },
): ResolvedPackage {
  const { rule, outcome, losers } = resolution;
  const sealed = outcome === 'sealed' ? resolution.sealed : null;
  return {
    ecosystem: ecosystems[target.ecosystem].wireName,
    package_name: target.packageName,
    package_version: target.packageVersion,
    outcome,
    sealed_package_name: sealed?.packageName ?? null,
    sealed_package_version: sealed?.sealedVersion ?? null,
    reason: explainResolution(resolution),
    rule: rule && presentRule(rule),
    rule_is_draft: rule !== null && drafts.includes(rule),
    losing_rules:
      rule === null ? [] : losers.map((loser) => ({ rule: presentRule(loser), reason: explainLoss(rule, loser) })),
    artifact: sealed && url !== null ? { url, integrity: sealed.integrity, size_bytes: sealed.sizeBytes } : null,
  };
}
