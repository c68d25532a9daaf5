import path from 'node:path';
import { endpoints, type ScanResult } from '@sealsmith/contract';
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { withJson } from '../command-options.ts';
import { exitCodes } from '../exit-codes.ts';
import { type Lockfile, readLockfile } from '../lockfile.ts';
import { renderTable } from '../render/table.ts';
import { severitiesOf } from '../render/vulnerable-package.ts';
import { type Finding, findingsOf } from '../scan-findings.ts';
import { projectNameFrom } from '../settings.ts';

interface ScanOptions {
  project?: string;
}

export function defineScan(command: Command, context: CommandContext): void {
  withJson(command, ['scan', 'scan ../shop --project shop', 'scan --json > scan.json'])
    .description('Find the vulnerable packages of a project by its package-lock.json or npm-shrinkwrap.json.')
    .argument('[dir]', 'folder of the project', '.')
    .option('--project <name>', 'name of the project (default: SEALSMITH_PROJECT, or the name in the lockfile)')
    .action(context.action((dir: string, options: ScanOptions) => scan(dir, options, context)));
}

async function scan(dir: string, { project }: ScanOptions, { io, openClient, output }: CommandContext) {
  const folder = path.resolve(io.cwd, dir);
  const lockfile = await readLockfile(folder, dir);
  const fallbacks = [lockfile.lock.projectName, path.basename(folder)];
  const projectName = projectNameFrom({ option: project, env: io.env, fallbacks });
  const client = await openClient();
  const result = await client.call(endpoints.createScan, {
    params: { project_name: projectName },
    query: { source: sourceName(io.cwd, lockfile) },
    // The service reads JSON, which has no byte order mark.
    source: { mediaType: 'application/json', open: async () => lockfile.text.replace(/^\uFEFF/, '') },
  });
  const findings = findingsOf(result.vulnerable_packages, lockfile.lock.packages);
  const found = findings.filter(({ isOpen }) => isOpen).length;
  output.result(documentOf(result, findings, found), () => renderScan(result, findings, found));
  return found > 0 ? exitCodes.refused : exitCodes.done;
}

/** The same file has the same name wherever the project is checked out. */
function sourceName(cwd: string, { path: file, fileName }: Lockfile): string {
  const relative = path.relative(cwd, file).replaceAll(path.sep, '/');
  const isInside = !relative.startsWith('../') && !path.isAbsolute(relative);
  return isInside && relative.length <= 512 ? relative : fileName;
}

function documentOf(result: ScanResult, findings: readonly Finding[], found: number): object {
  const packages = findings.map(({ item, isDirect, via, paths }) => ({ ...item, is_direct: isDirect, via, paths }));
  return { ...result, vulnerable_packages: packages, found };
}

function renderScan(result: ScanResult, findings: readonly Finding[], found: number): string {
  const lines = [];
  if (findings.length > 0) lines.push(renderFindings(findings), '');
  const { project_name, source, package_count } = result;
  lines.push(`Project ${project_name}, ${source}: ${package_count} packages, ${summaryOf(findings, found)}`);
  return lines.join('\n');
}

function renderFindings(findings: readonly Finding[]): string {
  return renderTable(
    ['package', 'version', 'ecosystem', 'vulnerabilities', 'required', 'fix', 'sealed version'],
    findings.map(({ item, isDirect, via }) => [
      item.package_name,
      item.package_version,
      item.ecosystem,
      severitiesOf(item),
      isDirect ? 'directly' : via.length === 0 ? '-' : `through ${via.join(' > ')}`,
      item.is_hidden ? `${item.fix_availability} (hidden)` : item.fix_availability,
      item.sealed_package_version ?? '-',
    ]),
  );
}

function summaryOf(findings: readonly Finding[], found: number): string {
  const hidden = findings.filter(({ item }) => item.is_hidden).length;
  const sealed = findings.length - found - hidden;
  const parts = [found === 0 ? 'nothing vulnerable that is not sealed' : `${found} vulnerable`];
  if (sealed > 0) parts.push(`${sealed} sealed`);
  if (hidden > 0) parts.push(`${hidden} hidden`);
  const fixable = findings.filter(({ isOpen, item }) => isOpen && item.fix_availability === 'seal_available').length;
  if (fixable > 0) parts.push(`${fixable} of them can be sealed now with "sealsmith fix --mode all"`);
  return `${parts.join(', ')}.`;
}
