import { ecosystemIds, InvalidNameError, normalizeName } from '@sealsmith/ecosystems';
import type { ListSealedPackages, PackageName } from '../artifacts/sealed-package.ts';
import { chunksOf } from '../database/chunks.ts';
import type { Db } from '../database/database.ts';
import type { FixFact, ListFixFacts } from '../fixes/fix-facts.ts';
import type { ListPatchFacts, PatchFact } from '../patches/patch-fact.ts';
import type { TenantScope } from '../platform/tenancy.ts';
import type { ResolvePackages } from '../sealing-rules/resolution.ts';
import { listSeenPackages, type PackageFilter, type SeenPackage } from './component-store.ts';
import { findVulnerabilities } from './find-vulnerabilities.ts';
import { type PackageFacts, type PackageState, packageStateOf } from './package-state.ts';
import { listLastScans, scanKey } from './scan-store.ts';
import { lockStates } from './state-lock.ts';
import type { RefreshStates, StateSelection } from './state-refresh.ts';
import { keyOfRow, keyText, type VulnerablePackageRow } from './vulnerable-package.ts';
import { deleteVulnerablePackages, listRecorded, saveVulnerablePackages, takeIds } from './vulnerable-package-store.ts';

const namesPerStep = 500;
const packagesPerStep = 2_000;

/** What the states depend on besides advisories and scans. */
interface Dependencies {
  listSealed: ListSealedPackages;
  resolvePackages: ResolvePackages;
  listFixFacts: ListFixFacts;
  listPatchFacts: ListPatchFacts;
}

export function createStateRefresh(dependencies: Dependencies): RefreshStates {
  return async (transaction, scope, selection) => {
    await lockStates(transaction, scope);
    for (const filter of await filtersOf(transaction, scope, selection)) {
      await refresh(transaction, scope, filter, dependencies);
    }
  };
}

async function filtersOf(transaction: Db, scope: TenantScope, selection: StateSelection): Promise<PackageFilter[]> {
  switch (selection.kind) {
    case 'packages':
      return inSteps(selection.packages, null);
    case 'project':
      return [{ packages: null, projectName: selection.projectName, role: selection.role }];
    case 'rule-subject': {
      const { packageName, projectName } = selection;
      if (packageName !== null) return inSteps(namesInEveryEcosystem(packageName), projectName);
      // A rule makes nothing vulnerable: what is recorded already is all that it can change.
      const recorded = await listRecorded(transaction, scope, { packages: null, projectName, role: null });
      return inSteps(
        recorded.map((row) => ({ ecosystem: row.ecosystem, packageName: row.package_name })),
        projectName,
      );
    }
  }
}

function inSteps(packages: readonly PackageName[], projectName: string | null): PackageFilter[] {
  const distinct = new Map(packages.map((name) => [`${name.ecosystem} ${name.packageName}`, name]));
  return [...chunksOf([...distinct.values()], namesPerStep)].map((names) => ({
    packages: names,
    projectName,
    role: null,
  }));
}

/** A rule names no ecosystem, and its name may be one that some of them do not allow. */
function namesInEveryEcosystem(name: string): PackageName[] {
  return ecosystemIds.flatMap((ecosystem) => {
    try {
      return { ecosystem, packageName: normalizeName(ecosystem, name) };
    } catch (error) {
      if (error instanceof InvalidNameError) return [];
      throw error;
    }
  });
}

async function refresh(
  transaction: Db,
  scope: TenantScope,
  filter: PackageFilter,
  dependencies: Dependencies,
): Promise<void> {
  const recorded = await listRecorded(transaction, scope, filter);
  const seen = await listSeenPackages(transaction, scope, filter);
  // The versions of a package lie together, so that what is known of it is read in one step.
  seen.sort((a, b) => (a.packageName === b.packageName ? 0 : a.packageName < b.packageName ? -1 : 1));
  const states: SeenState[] = [];
  for (const chunk of chunksOf(seen, packagesPerStep)) {
    for (const state of await statesOf(transaction, scope, chunk, dependencies)) states.push(state);
  }
  await record(transaction, scope, { filter, recorded, states });
}

interface SeenState {
  seen: SeenPackage;
  state: PackageState;
}

async function statesOf(
  transaction: Db,
  scope: TenantScope,
  seen: readonly SeenPackage[],
  { listSealed, resolvePackages, listFixFacts, listPatchFacts }: Dependencies,
): Promise<SeenState[]> {
  const targets = seen.map((item) => ({ ...item, packageVersion: item.originVersion }));
  const known = await findVulnerabilities(transaction, scope, targets);
  const vulnerable = targets.flatMap((target, index) => {
    const vulnerabilities = known[index] ?? [];
    return vulnerabilities.length === 0 ? [] : [{ target, vulnerabilities }];
  });
  if (vulnerable.length === 0) return [];
  const names = vulnerable.map(({ target: { ecosystem, packageName } }) => ({ ecosystem, packageName }));
  const seals = Map.groupBy(await listSealed(transaction, scope, names), versionText);
  const fixes = new Map((await listFixFacts(transaction, scope, names)).map((fix) => [versionText(fix), fix]));
  const patches = new Map(
    (await listPatchFacts(transaction, scope, names)).map((patch) => [versionText(patch), patch]),
  );
  const resolutions = await resolvePackages(
    transaction,
    scope,
    vulnerable.map(({ target }) => target),
  );
  return vulnerable.flatMap(({ target, vulnerabilities }, index) => {
    const facts: PackageFacts = {
      seenIterations: target.iterations,
      vulnerabilities,
      seals: seals.get(versionText(target)) ?? [],
      resolution: resolutions[index] ?? { outcome: 'no_rule' },
      fixStatus: fixes.get(versionText(target))?.status ?? null,
      patch: untriedPatch(patches.get(versionText(target)), fixes.get(versionText(target))),
    };
    const state = packageStateOf(facts);
    return state === null ? [] : { seen: target, state };
  });
}

/** A patch that was there when the newest fix was asked for has been tried by it. */
function untriedPatch(patch: PatchFact | undefined, fix: FixFact | undefined): PatchFact | null {
  if (!patch || (fix && patch.importedOn < fix.createdOn)) return null;
  return patch;
}

function versionText({ ecosystem, packageName, originVersion }: PackageName & { originVersion: string }): string {
  return JSON.stringify([ecosystem, packageName, originVersion]);
}

/** Writes what differs from what is recorded, and deletes what has gone. */
async function record(
  transaction: Db,
  scope: TenantScope,
  { filter, recorded, states }: { filter: PackageFilter; recorded: VulnerablePackageRow[]; states: SeenState[] },
): Promise<void> {
  const rowsByKey = new Map(recorded.map((row) => [keyText(keyOfRow(row)), row]));
  const entries = states.map((entry) => ({ ...entry, row: rowsByKey.get(keyText(entry.seen)) }));
  // Only a scan changes when a package was last seen.
  const dated = entries.filter(({ row }) => row === undefined || filter.role !== null);
  const lastScans = await listLastScans(transaction, scope, [...new Set(dated.map(({ seen }) => seen.projectName))]);
  const added = entries.filter(({ row }) => row === undefined).length;
  let nextId = added === 0 ? 0 : await takeIds(transaction, scope, added);
  const changed: VulnerablePackageRow[] = [];
  for (const { seen, state, row } of entries) {
    const lastSeenOn = lastSeen(seen, lastScans) ?? row?.last_seen_on;
    if (lastSeenOn === undefined) throw new Error('a component belongs to a scan');
    const now = rowOf(seen, state, lastSeenOn, row ?? { id: nextId++, is_hidden: 0, first_seen_on: lastSeenOn });
    if (row === undefined || !isSame(row, now)) changed.push(now);
  }
  await saveVulnerablePackages(transaction, scope, changed);
  const kept = new Set(states.map(({ seen }) => keyText(seen)));
  const gone = recorded.filter((row) => !kept.has(keyText(keyOfRow(row))));
  await deleteVulnerablePackages(
    transaction,
    scope,
    gone.map(({ id }) => id),
  );
}

function lastSeen(seen: SeenPackage, lastScans: ReadonlyMap<string, string>): string | undefined {
  const times = seen.sources.flatMap((source) => lastScans.get(scanKey({ ...seen, source })) ?? []);
  return times.toSorted().at(-1);
}

function rowOf(
  seen: SeenPackage,
  { fixAvailability, sealedVersion, vulnerabilities }: PackageState,
  lastSeenOn: string,
  { id, is_hidden, first_seen_on }: Pick<VulnerablePackageRow, 'id' | 'is_hidden' | 'first_seen_on'>,
): VulnerablePackageRow {
  return {
    id,
    project_name: seen.projectName,
    role: seen.role,
    ecosystem: seen.ecosystem,
    package_name: seen.packageName,
    package_version: seen.originVersion,
    fix_availability: fixAvailability,
    sealed_version: sealedVersion,
    vulnerabilities: JSON.stringify(vulnerabilities),
    is_hidden,
    first_seen_on,
    last_seen_on: lastSeenOn,
  };
}

function isSame(a: VulnerablePackageRow, b: VulnerablePackageRow): boolean {
  return (
    a.fix_availability === b.fix_availability &&
    a.sealed_version === b.sealed_version &&
    a.vulnerabilities === b.vulnerabilities &&
    a.last_seen_on === b.last_seen_on
  );
}
