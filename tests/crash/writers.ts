import { fixSchema, type SealingRuleInput, scanResultSchema, sealingRuleSchema } from '@sealsmith/contract';
import type { Api, ApiAnswer, ApiRequest } from '../support/api-client.ts';
import type { CrashPackage } from './crash-catalog.ts';
import { type Ledger, recordFix } from './ledger.ts';
import type { SeededRandom } from './seeded-random.ts';

export interface WriterOptions {
  api: Api;
  ledger: Ledger;
  random: SeededRandom;
  /** Those of this round and of the rounds before; the newest is the last. */
  packages: readonly CrashPackage[];
}

export const scannedProjects = ['scanned-shop', 'scanned-mill'] as const;
const ruleProjects = ['<ANY>', 'shop', 'mill'] as const;
const rulePackages = 12;
const outcomes = ['<SAFEST>', '<ORIGIN>', '1.0.0-sp1', '1.0.0-sp2'] as const;
const sources = ['app', 'tools', 'docs'] as const;

/** Writes from several clients at once until the service is gone. */
export async function writeUntilGone(options: WriterOptions): Promise<void> {
  const writers = [
    ...ruleProjects.map((project) => () => writeRule(options, project)),
    ...scannedProjects.map((project) => () => writeScan(options, project)),
    createFixWriter(options),
  ];
  await Promise.all(writers.map((write) => repeatUntilGone(write, options.ledger)));
}

const writesMax = 10_000;

async function repeatUntilGone(write: () => Promise<void>, { counts }: Ledger): Promise<void> {
  for (let writes = 0; writes < writesMax; writes++) {
    try {
      await write();
      counts.acknowledged += 1;
    } catch (error) {
      if (!isConnectionError(error)) throw error;
      counts.unanswered += 1;
      return;
    }
  }
}

function isConnectionError(error: unknown): boolean {
  return (
    error instanceof Error && 'code' in error && ['ECONNRESET', 'ECONNREFUSED', 'EPIPE'].includes(String(error.code))
  );
}

/** The answer, which must be one of these. */
async function ask(
  api: Api,
  [method, path, request]: [string, string, ApiRequest?],
  statuses: number[],
): Promise<ApiAnswer> {
  const answer = await api(method, path, request);
  if (!statuses.includes(answer.status)) throw new Error(`${method} ${path} answers ${answer.status}: ${answer.text}`);
  return answer;
}

async function writeRule({ api, ledger, random }: WriterOptions, project: string): Promise<void> {
  const key = {
    project_name: project,
    vulnerable_package_name: `crash-${random.below(rulePackages)}`,
    vulnerable_package_version: random.pick(['1.0.0', '1.1.0', '1.2.0', '1.3.0']),
  };
  const before = ledger.rules.find(key);
  if (before && random.below(3) === 0) {
    ledger.rules.ask(key, null);
    await ask(api, ['DELETE', `/sealing-rules?${new URLSearchParams(key)}`], [204]);
    return ledger.rules.acknowledge(key, null);
  }
  const rule: SealingRuleInput = {
    ...key,
    sealed_package_name: key.vulnerable_package_name,
    sealed_package_version: random.pick(outcomes),
  };
  ledger.rules.ask(key, rule);
  const isNew = before === null;
  const method = isNew && random.below(2) === 0 ? 'POST' : 'PUT';
  const { json } = await ask(api, [method, '/sealing-rules', { body: rule }], [isNew ? 201 : 200]);
  ledger.rules.acknowledge(key, sealingRuleSchema.parse(json));
}

async function writeScan({ api, ledger, random, packages }: WriterOptions, project: string): Promise<void> {
  const body = {
    packages: packages.slice(-1 - random.below(5)).map(({ name, fixable }) => ({
      ecosystem: 'NPM',
      package_name: name,
      package_version: random.pick(fixable),
    })),
  };
  const { json } = await ask(
    api,
    ['POST', `/projects/${project}/scans?source=${random.pick(sources)}`, { body }],
    [201],
  );
  const scan = scanResultSchema.parse(json);
  ledger.scans.set(scan.id, { projectName: scan.project_name, packageCount: scan.package_count });
}

/** Asks for the fixes of this round's package first, then again for any. */
function createFixWriter({ api, ledger, random, packages }: WriterOptions): () => Promise<void> {
  const newest = packages.at(-1);
  const waiting = newest
    ? [...newest.fixable, newest.unfixable].map((version) => ({ name: newest.name, version }))
    : [];
  return async () => {
    const wanted = waiting.shift() ?? anyFixable(random, packages);
    const body = { ecosystem: 'NPM', package_name: wanted.name, vulnerable_version: wanted.version };
    const { json } = await ask(api, ['POST', '/generate-fix', { body }], [200, 202]);
    recordFix(ledger, fixSchema.parse(json));
  };
}

function anyFixable(random: SeededRandom, packages: readonly CrashPackage[]) {
  const { name, fixable } = random.pick(packages);
  return { name, version: random.pick(fixable) };
}
