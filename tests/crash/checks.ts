import { type Fix, fixSchema, scanSchema, sealingRuleSchema } from '@sealsmith/contract';
import { expect } from 'vitest';
import { type Api, listAll } from '../support/api-client.ts';
import type { CrashPackage } from './crash-catalog.ts';
import type { Ledger } from './ledger.ts';
import { type PublishedVersion, readPublished } from './published.ts';
import { scannedProjects } from './writers.ts';

/** Every acknowledged rule is there as it was acknowledged, and no other. From here on what is listed is what holds. */
export async function checkRules(api: Api, { rules }: Ledger): Promise<void> {
  const listed = (await listAll(api, '/sealing-rules?limit=200')).map((item) => sealingRuleSchema.parse(item));
  expect(rules.settle(listed), 'rules').toEqual([]);
}

/** No acknowledged scan and no accepted fix is missing, and no scan is there in part. */
export async function checkScansAndFixes(api: Api, ledger: Ledger): Promise<void> {
  await checkScans(api, ledger);
  const fixIds = new Set((await listFixes(api)).map(({ id }) => id));
  expect(
    [...ledger.fixes.keys()].filter((id) => !fixIds.has(id)),
    'fixes that were accepted and are gone',
  ).toEqual([]);
}

async function checkScans(api: Api, { scans }: Ledger): Promise<void> {
  if (scans.size === 0) return;
  const lists = await Promise.all(scannedProjects.map((project) => listScans(api, project)));
  const listed = new Map(lists.flat().map((scan) => [scan.id, scan]));
  for (const [id, { projectName, packageCount }] of scans) {
    expect(listed.get(id), `scan ${id}`).toMatchObject({ project_name: projectName, package_count: packageCount });
  }
  // Every package of every scan is vulnerable: a lower count is a scan that was written in part.
  const partial = [...listed.values()].filter((scan) => scan.vulnerable_package_count !== scan.package_count);
  expect(partial).toEqual([]);
}

async function listScans(api: Api, project: string) {
  const { status } = await api('GET', `/projects/${project}/scans?limit=1`);
  if (status === 404) return [];
  return (await listAll(api, `/projects/${project}/scans?limit=200`)).map((item) => scanSchema.parse(item));
}

export async function listFixes(api: Api): Promise<Fix[]> {
  return (await listAll(api, '/fixes?limit=200')).map((item) => fixSchema.parse(item));
}

interface Served {
  api: Api;
  url: string;
  token: string;
}

/** A fix has succeeded exactly when its artifact is published, once and whole. @returns what is published */
export async function checkPublished(
  { api, url, token }: Served,
  packages: readonly CrashPackage[],
): Promise<PublishedVersion[]> {
  const succeededBefore = succeeded(await listFixes(api));
  const published = await readPublished(url, token, packages);
  const succeededAfter = succeeded(await listFixes(api));
  const names = published.map(({ packageName, sealedVersion }) => `${packageName} ${sealedVersion}`);
  expect(
    [...succeededBefore].filter((name) => !names.includes(name)),
    'fixes without an artifact',
  ).toEqual([]);
  expect(
    names.filter((name) => !succeededAfter.has(name)),
    'artifacts without a fix',
  ).toEqual([]);
  const origins = published.map(({ packageName, originVersion }) => `${packageName} ${originVersion}`);
  expect(new Set(origins).size, 'a version that was published twice').toBe(origins.length);
  return published;
}

function succeeded(fixes: readonly Fix[]): Set<string> {
  const done = fixes.filter(({ status }) => status === 'succeeded');
  return new Set(done.map(({ package_name, sealed_package_version }) => `${package_name} ${sealed_package_version}`));
}
