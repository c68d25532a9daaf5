import path from 'node:path';
import type { ImportReport } from '@sealsmith/contract';
import { listTenants } from './access/tenant-store.ts';
import { listSealedPackages } from './artifacts/sealed-package-store.ts';
import type { Database } from './database/database.ts';
import { sharedTenantId } from './database/schema.ts';
import { listFixFacts } from './fixes/fix-store.ts';
import { importPatchSets } from './patches/import-patch-sets.ts';
import { readPatchFolder } from './patches/patch-folder.ts';
import { listPatchFacts } from './patches/patch-set-store.ts';
import type { Clock } from './platform/clock.ts';
import type { Logger } from './platform/logger.ts';
import { tenantScope } from './platform/tenancy.ts';
import { createRuleResolver } from './sealing-rules/rule-resolver.ts';
import { readAdvisories } from './vulnerabilities/advisory-source.ts';
import { importAdvisories } from './vulnerabilities/import-advisories.ts';
import type { RefreshStates } from './vulnerabilities/state-refresh.ts';
import { createStateRefresh } from './vulnerabilities/state-refresh-store.ts';

/** What the operator may put in front of every tenant, and the states that follow from it. */
export interface SharedCatalog {
  refreshStates: RefreshStates;
  importAdvisories(path: string, onProgress?: (counts: Omit<ImportReport, 'problems'>) => void): Promise<ImportReport>;
  importPatches(path: string): Promise<ImportReport>;
}

const operator = { ...tenantScope(sharedTenantId), actor: 'operator' };

export function composeCatalog(database: Database, clock: Clock): SharedCatalog {
  const resolvePackages = createRuleResolver({ listSealed: listSealedPackages });
  const refreshStates = createStateRefresh({
    listSealed: listSealedPackages,
    resolvePackages,
    listFixFacts,
    listPatchFacts,
  });
  return {
    refreshStates,
    importAdvisories: (path, onProgress) =>
      importAdvisories({ database, refreshStates }, operator, readAdvisories({ path }), onProgress),
    importPatches: (path) =>
      importPatchSets({ database, clock, refresh: refreshStates, listTenants }, operator, readPatchFolder(path)),
  };
}

/** Takes over what is new in the catalog folder; a start over an unchanged one writes nothing. */
export async function loadStarterCatalog(catalog: SharedCatalog, dir: string | null, log: Logger): Promise<void> {
  if (dir === null) return;
  const advisories = await catalog.importAdvisories(path.join(dir, 'advisories'));
  const patches = await catalog.importPatches(path.join(dir, 'patches'));
  for (const { name, reason } of [...advisories.problems, ...patches.problems]) {
    log.warn({ name, reason }, 'an entry of the catalog cannot be read');
  }
  log.info({ advisories: advisories.imported, patches: patches.imported }, 'the catalog is loaded');
}
