import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { NpmUpstream } from '../support/npm-upstream.ts';
import { osvRecord, plainTemplatePatch } from '../support/plain-template.ts';

export interface CrashPackage {
  name: string;
  /** Versions that the catalog has a patch for. */
  fixable: readonly string[];
  /** Vulnerable, and nothing is known that closes it. */
  unfixable: string;
}

const fixable = ['1.0.0', '1.1.0', '1.2.0'];
const unfixable = '1.3.0';
const source = `'use strict';

module.exports = function render(template, values) {
  return template.replace(/\\{(\\w+)\\}/g, (all, key) => values[key]);
};
`;

/** One package for each round, so that every round has something to build. */
export function crashPackages(count: number): CrashPackage[] {
  return Array.from({ length: count }, (_, index) => ({ name: `crash-${index}`, fixable, unfixable }));
}

export async function publishCrashPackages(upstream: NpmUpstream, packages: readonly CrashPackage[]): Promise<void> {
  const versions = Object.fromEntries([...fixable, unfixable].map((version) => [version, { 'index.js': source }]));
  for (const { name } of packages) await upstream.publish(name, versions);
}

/** Writes what the operator imports: `advisories/` and `patches/` below `dir`. */
export async function writeCrashCatalog(dir: string, packages: readonly CrashPackage[]): Promise<void> {
  const advisories = path.join(dir, 'advisories');
  await mkdir(advisories, { recursive: true });
  const [first] = packages;
  if (!first) throw new Error('a catalog needs a package');
  const record = osvRecord('GHSA-2222-3333-4444', first.name, { aliases: ['CVE-2026-1000'] });
  const affected = packages.flatMap(({ name }) =>
    record.affected.map((entry) => ({ ...entry, package: { ...entry.package, name } })),
  );
  await writeFile(path.join(advisories, `${record.id}.json`), JSON.stringify({ ...record, affected }));
  for (const { name, fixable: versions } of packages) {
    for (const version of versions) {
      const folder = path.join(dir, 'patches', 'npm', name, version, 'sp1');
      await mkdir(folder, { recursive: true });
      await writeFile(path.join(folder, '0001-CVE-2026-1000.patch'), plainTemplatePatch);
    }
  }
}
