import {
  endpoints,
  type ResolveResponse,
  resolveItemsMax,
  type SealingRuleInput,
  safestSentinel,
} from '@sealsmith/contract';
import { isVersion, type LockedPackage, originVersionOf } from '@sealsmith/ecosystems';
import { CliError } from '../cli-error.ts';
import type { Client } from '../client.ts';

/** `remote`: what the rules of the service say; `all`: everything that has a seal. */
export type FixMode = 'remote' | 'all';

export type Outcome = ResolveResponse['items'][number];

type PackageVersion = Pick<LockedPackage, 'name' | 'version'>;

/** Finds what is to become of a package; undefined for one that nobody can be asked about. */
export type OutcomeOf = (entry: PackageVersion) => Outcome | undefined;

interface OutcomeRequest {
  projectName: string;
  mode: FixMode;
  onProgress(done: number, total: number): void;
}

/** Asks the service about every package version of a lockfile, each once. */
export async function fetchOutcomes(
  client: Client,
  packages: readonly LockedPackage[],
  { projectName, mode, onProgress }: OutcomeRequest,
): Promise<OutcomeOf> {
  const askable = packages.filter(({ version }) => isVersion('npm', version));
  const distinct = [...new Map(askable.map((entry) => [keyOf(entry), entry])).values()];
  const outcomes = new Map<string, Outcome>();
  for (let start = 0; start < distinct.length; start += resolveItemsMax) {
    onProgress(start, distinct.length);
    const chunk = distinct.slice(start, start + resolveItemsMax);
    const items = await resolveChunk(client, chunk, mode === 'all' ? draftsFor(chunk, projectName) : [], projectName);
    chunk.forEach((entry, index) => {
      const item = items[index];
      if (item !== undefined) outcomes.set(keyOf(entry), item);
    });
  }
  return (entry) => outcomes.get(keyOf(entry));
}

async function resolveChunk(
  client: Client,
  chunk: readonly PackageVersion[],
  drafts: readonly SealingRuleInput[],
  projectName: string,
): Promise<Outcome[]> {
  const packages = chunk.map(({ name, version }) => ({
    ecosystem: 'NPM',
    package_name: name,
    package_version: version,
  }));
  const body = { project_name: projectName, packages, ...(drafts.length > 0 && { draft_rules: [...drafts] }) };
  const { items } = await client.call(endpoints.resolveSealingRules, { body });
  if (items.length !== chunk.length) {
    throw new CliError('server', `The server answers ${items.length} results for ${chunk.length} packages.`);
  }
  return items;
}

/** Rules that ask for the safest seal of each package, as if they were stored. They name origin versions, as rules do. */
function draftsFor(chunk: readonly PackageVersion[], projectName: string): SealingRuleInput[] {
  const origins = chunk.map(({ name, version }) => ({ name, version: originVersionOf('npm', version) }));
  return [...new Map(origins.map((origin) => [keyOf(origin), origin])).values()].map(({ name, version }) => ({
    project_name: projectName,
    vulnerable_package_name: name,
    vulnerable_package_version: version,
    sealed_package_name: name,
    sealed_package_version: safestSentinel,
  }));
}

function keyOf({ name, version }: PackageVersion): string {
  return `${name}@${version}`;
}
