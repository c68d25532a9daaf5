import { endpoints, type SealingRule } from '@sealsmith/contract';
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { parseCount, withJson } from '../command-options.ts';
import { exitCodes } from '../exit-codes.ts';
import { listItems } from '../list-items.ts';
import { renderTable } from '../render/table.ts';

interface ListOptions {
  projectFilter?: string;
  packageFilter?: string;
  limit?: number;
}

export function defineRulesList(command: Command, context: CommandContext): void {
  withJson(command, ['rules list', "rules list --project-filter '<ANY>'", 'rules list --package-filter ejs --limit 20'])
    .description('List the sealing rules.')
    .option('--project-filter <text>', 'part of a project name, or <ANY> for tenant-wide rules')
    .option('--package-filter <text>', 'part of a package name, or <ANY> for rules of every package')
    .option('--limit <count>', 'show at most this many (default: all)', parseCount)
    .action(context.action((options: ListOptions) => listRules(options, context)));
}

async function listRules({ projectFilter, packageFilter, limit }: ListOptions, { openClient, output }: CommandContext) {
  const client = await openClient();
  const filters = {
    ...(projectFilter !== undefined && { project_name_filter: projectFilter }),
    ...(packageFilter !== undefined && { package_name_filter: packageFilter }),
  };
  const rules = await listItems(({ cursor, limit: pageLimit }) => {
    const query = { ...filters, limit: pageLimit, ...(cursor !== undefined && { cursor }) };
    return client.call(endpoints.listSealingRules, { query });
  }, limit);
  output.result({ items: rules }, () => (rules.length === 0 ? 'No rules.' : renderRules(rules)));
  return exitCodes.done;
}

export function renderRules(rules: readonly SealingRule[]): string {
  return renderTable(
    ['project', 'package', 'version', 'replaced by', 'version', 'created on'],
    rules.map((rule) => [
      rule.project_name,
      rule.vulnerable_package_name,
      rule.vulnerable_package_version,
      rule.sealed_package_name,
      rule.sealed_package_version,
      rule.created_on,
    ]),
  );
}
