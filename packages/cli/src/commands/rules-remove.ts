import { anySentinel, endpoints } from '@sealsmith/contract';
import type { Command } from 'commander';
import { CliError } from '../cli-error.ts';
import type { CommandContext } from '../command-context.ts';
import { withJson } from '../command-options.ts';
import { exitCodes } from '../exit-codes.ts';

interface RemoveOptions {
  project: string;
  package: string;
  version?: string;
}

export function defineRulesRemove(command: Command, context: CommandContext): void {
  withJson(command, ['rules remove --project shop --package ejs --version 2.7.4', "rules remove --package '<ANY>'"])
    .description('Remove the sealing rule of a project, package and version.')
    .option('--project <name>', 'project of the rule, or <ANY>', anySentinel)
    .requiredOption('--package <name>', 'vulnerable package, or <ANY>')
    .option('--version <version>', 'vulnerable version')
    .action(context.action((options: RemoveOptions) => removeRule(options, context)));
}

async function removeRule(options: RemoveOptions, { openClient, output }: CommandContext) {
  const version = options.version ?? (options.package === anySentinel ? anySentinel : undefined);
  if (version === undefined) throw new CliError('usage', 'Give the vulnerable version with --version.');
  const query = {
    project_name: options.project,
    vulnerable_package_name: options.package,
    vulnerable_package_version: version,
  };
  const client = await openClient();
  await client.call(endpoints.deleteSealingRule, { query });
  output.result({ removed: query }, () => `Removed the rule of ${options.project} for ${options.package} ${version}.`);
  return exitCodes.done;
}
