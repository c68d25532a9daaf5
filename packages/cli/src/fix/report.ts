import type { Lockfile } from '../lockfile.ts';
import { renderTable } from '../render/table.ts';
import type { FixMode } from './outcomes.ts';
import type { FixPlan, SealedEntry } from './plan.ts';

export interface FixReport {
  projectName: string;
  lockfile: Lockfile;
  mode: FixMode;
  isDryRun: boolean;
  plan: FixPlan;
  /** Lock paths whose entry differs from what it was. */
  changed: ReadonlySet<string>;
  hints: readonly string[];
}

/** More names than this are for `--json`. */
const namesMax = 20;

/** What `--json` prints. */
export function documentOf({ projectName, lockfile, mode, isDryRun, plan, changed, hints }: FixReport): object {
  return {
    project_name: projectName,
    lockfile: lockfile.fileName,
    mode,
    is_dry_run: isDryRun,
    changed: plan.sealed.filter(({ path }) => changed.has(path)).map(sealedDocument),
    unchanged: plan.sealed.filter(({ path }) => !changed.has(path)).map(sealedDocument),
    refused: plan.refused.map(({ path, name, version, reason }) => ({
      path,
      package_name: name,
      package_version: version,
      reason,
    })),
    without_seal: plan.withoutSeal.map(({ name, version }) => ({ package_name: name, package_version: version })),
    hints,
  };
}

export function renderReport({ lockfile, isDryRun, plan, changed }: FixReport): string {
  const parts: string[] = [];
  const rows = plan.sealed.filter(({ path }) => changed.has(path));
  if (rows.length > 0) parts.push(renderTable(['package', 'from', 'to', 'where'], rows.map(rowOf)));
  if (plan.refused.length > 0) {
    const lines = plan.refused.map(({ path, name, version, reason }) => `  ${name} ${version} (${path}): ${reason}`);
    parts.push(['Not sealed:', ...lines].join('\n'));
  }
  if (plan.withoutSeal.length > 0) parts.push(renderWithoutSeal(plan));
  parts.push(summaryOf({ fileName: lockfile.fileName, isDryRun, changed: rows.length, total: plan.sealed.length }));
  return parts.join('\n\n');
}

function renderWithoutSeal({ withoutSeal }: FixPlan): string {
  const intro = `${withoutSeal.length} package versions have no seal and stay as they are`;
  if (withoutSeal.length > namesMax) return `${intro}; --json lists them, "sealsmith scan" says which are vulnerable.`;
  return `${intro}: ${withoutSeal.map(({ name, version }) => `${name} ${version}`).join(', ')}.`;
}

function summaryOf({
  fileName,
  isDryRun,
  changed,
  total,
}: {
  fileName: string;
  isDryRun: boolean;
  changed: number;
  total: number;
}): string {
  const before = total - changed;
  const already = before > 0 ? ` ${before} were sealed before.` : '';
  if (changed === 0) return `${fileName}: nothing to change.${already}`;
  const done = isDryRun ? 'would be sealed; nothing was written.' : 'sealed, as the file read again shows.';
  return `${fileName}: ${changed} ${changed === 1 ? 'entry' : 'entries'} ${done}${already}`;
}

function rowOf({ name, version, sealedName, sealedVersion, path }: SealedEntry): string[] {
  return [name, version, sealedName === name ? sealedVersion : `${sealedName} ${sealedVersion}`, path];
}

function sealedDocument({ path, name, version, sealedName, sealedVersion, from, to }: SealedEntry): object {
  return {
    path,
    package_name: name,
    package_version: version,
    sealed_package_name: sealedName,
    sealed_package_version: sealedVersion,
    from,
    to,
  };
}
