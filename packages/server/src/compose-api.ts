import os from 'node:os';
import type { FastifyInstance } from 'fastify';
import { createProjectRoute } from './access/create-project.route.ts';
import { createIdempotencyGuard } from './access/idempotency.ts';
import { readInstanceSecret } from './access/instance-secret.ts';
import { listProjectsRoute } from './access/list-projects.route.ts';
import { createProject, findProject } from './access/project-store.ts';
import { listTenants } from './access/tenant-store.ts';
import { artifactPath } from './artifacts/artifact-path.ts';
import { findSealedByIntegrity, listSealedPackages, listSealedWithContent } from './artifacts/sealed-package-store.ts';
import type { Foundation } from './compose.ts';
import { findBuildReport } from './fixes/fix-store.ts';
import { generateFixRoute } from './fixes/generate-fix.route.ts';
import { getFixRoute } from './fixes/get-fix.route.ts';
import { listFixesRoute } from './fixes/list-fixes.route.ts';
import { createOriginExists } from './fixes/origin-exists.ts';
import { getValidationPromptRoute } from './patches/get-validation-prompt.route.ts';
import { importPatchesRoute } from './patches/import-patches.route.ts';
import { createCursorCodec } from './platform/http/cursor.ts';
import type { Route } from './platform/http/route.ts';
import { registerApi } from './roles/api.ts';
import { createSealingRuleRoute } from './sealing-rules/create-sealing-rule.route.ts';
import { deleteSealingRuleRoute } from './sealing-rules/delete-sealing-rule.route.ts';
import { listSealingRulesRoute } from './sealing-rules/list-sealing-rules.route.ts';
import { putSealingRuleRoute } from './sealing-rules/put-sealing-rule.route.ts';
import { resolveSealingRulesRoute } from './sealing-rules/resolve-sealing-rules.route.ts';
import { findAdvisoriesByIdentifier } from './vulnerabilities/advisory-store.ts';
import { createScanRoute } from './vulnerabilities/create-scan.route.ts';
import { findVulnerabilities } from './vulnerabilities/find-vulnerabilities.ts';
import { importAdvisoriesRoute } from './vulnerabilities/import-advisories.route.ts';
import { listScansRoute } from './vulnerabilities/list-scans.route.ts';
import { listVulnerablePackagesRoute } from './vulnerabilities/list-vulnerable-packages.route.ts';
import { setVulnerablePackageHiddenRoute } from './vulnerabilities/set-vulnerable-package-hidden.route.ts';
import type { RefreshStates } from './vulnerabilities/state-refresh.ts';

interface ApiParts {
  refreshStates: RefreshStates;
  notifyWorker(): void;
}

/** Puts the role that answers the API together. */
export async function composeApi(http: FastifyInstance, foundation: Foundation, parts: ApiParts): Promise<void> {
  const { config, database, clock, log, authenticator, publicUrlOf } = foundation;
  await registerApi(http, {
    routes: await createRoutes(foundation, parts),
    authenticator,
    idempotency: createIdempotencyGuard({
      database,
      clock,
      onError: (err) => log.warn({ err }, 'the claim of an idempotency key could not be renewed'),
    }),
    rateLimitPerMinute: config.rateLimit,
    publicUrlOf,
  });
}

async function createRoutes(
  { database, clock, upstreams }: Foundation,
  { refreshStates, notifyWorker }: ApiParts,
): Promise<Route[]> {
  const { db } = database;
  const cursors = createCursorCodec(await readInstanceSecret(db, 'cursor_key'));
  const ruleWrites = { database, clock, refresh: refreshStates };
  const listSealed = listSealedPackages;
  const originExists = createOriginExists(upstreams.builders);
  return [
    listSealingRulesRoute({ database, cursors }),
    createSealingRuleRoute(ruleWrites),
    putSealingRuleRoute(ruleWrites),
    deleteSealingRuleRoute(ruleWrites),
    resolveSealingRulesRoute({ database, clock, listSealed, artifactPath }),
    listVulnerablePackagesRoute({ database, cursors }),
    setVulnerablePackageHiddenRoute({ database, clock }),
    createScanRoute({ database, clock, refreshStates, createProject, findSealedByIntegrity }),
    listScansRoute({ db, cursors, findProject }),
    importAdvisoriesRoute({ database, clock, refreshStates, temporaryDir: os.tmpdir() }),
    generateFixRoute({
      database,
      clock,
      listSealed,
      findVulnerabilities,
      originExists,
      refresh: refreshStates,
      notifyWorker,
    }),
    getFixRoute({ db }),
    listFixesRoute({ db, cursors }),
    importPatchesRoute({ database, clock, refresh: refreshStates, listTenants }),
    getValidationPromptRoute({
      db,
      findVulnerabilities,
      findAdvisoriesByIdentifier,
      listSealedWithContent,
      findBuildReport,
    }),
    listProjectsRoute({ db, cursors }),
    createProjectRoute({ database, clock }),
  ];
}
