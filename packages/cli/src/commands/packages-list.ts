import { endpoints, fixAvailabilities, type VulnerablePackage, type WireEcosystem } from '@sealsmith/contract';
import { type Command, Option } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { parseCount, parseEcosystem, withJson } from '../command-options.ts';
import { exitCodes } from '../exit-codes.ts';
import { listItems } from '../list-items.ts';
import { renderTable } from '../render/table.ts';
import { severitiesOf } from '../render/vulnerable-package.ts';

interface ListOptions {
  packageFilter?: string;
  projectFilter?: string;
  ecosystem?: WireEcosystem;
  hidden?: true;
  role: 'production' | 'development';
  fixAvailability?: (typeof fixAvailabilities)[number];
  limit?: number;
}

export function definePackages(command: Command, context: CommandContext): void {
  withJson(command.command('list', { isDefault: true }), [
    'packages list',
    'packages list --project-filter shop --fix-availability seal_available',
  ])
    .description('List the vulnerable packages of all projects.')
    .option('--package-filter <text>', 'part of a package name')
    .option('--project-filter <text>', 'part of a project name')
    .option('--ecosystem <name>', 'ecosystem of the packages', parseEcosystem)
    .option('--hidden', 'show those that were hidden instead')
    .addOption(
      new Option('--role <role>', 'role of the token that reported them')
        .choices(['production', 'development'])
        .default('production'),
    )
    .addOption(new Option('--fix-availability <state>', 'state of the fix').choices(fixAvailabilities))
    .option('--limit <count>', 'show at most this many (default: all)', parseCount)
    .action(context.action((options: ListOptions) => listPackages(options, context)));
}

async function listPackages(options: ListOptions, { openClient, output }: CommandContext) {
  const client = await openClient();
  const filters = filtersOf(options);
  const packages = await listItems(({ cursor, limit }) => {
    const query = { ...filters, limit, ...(cursor !== undefined && { cursor }) };
    return client.call(endpoints.listVulnerablePackages, { query });
  }, options.limit);
  output.result({ items: packages }, () =>
    packages.length === 0 ? 'No vulnerable packages.' : renderPackages(packages),
  );
  return exitCodes.done;
}

function filtersOf({ packageFilter, projectFilter, ecosystem, hidden, role, fixAvailability }: ListOptions) {
  return {
    ...(packageFilter !== undefined && { package_name_contains: packageFilter }),
    ...(projectFilter !== undefined && { project_name_filter: projectFilter }),
    ...(ecosystem !== undefined && { ecosystem }),
    ...(fixAvailability !== undefined && { fix_availability: fixAvailability }),
    is_hidden: hidden === true,
    access_token_role: role,
  };
}

function renderPackages(packages: readonly VulnerablePackage[]): string {
  return renderTable(
    ['project', 'package', 'version', 'ecosystem', 'vulnerabilities', 'fix', 'sealed version'],
    packages.map((item) => [
      item.project_name,
      item.package_name,
      item.package_version,
      item.ecosystem,
      severitiesOf(item),
      item.fix_availability,
      item.sealed_package_version ?? '-',
    ]),
  );
}
