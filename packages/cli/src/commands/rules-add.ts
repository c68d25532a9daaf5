import { randomUUID } from 'node:crypto';
import { anySentinel, endpoints, originSentinel, type SealingRuleInput, safestSentinel } from '@sealsmith/contract';
import type { Command } from 'commander';
import { CliError } from '../cli-error.ts';
import type { CommandContext } from '../command-context.ts';
import { withJson } from '../command-options.ts';
import { exitCodes } from '../exit-codes.ts';
import { renderRules } from './rules-list.ts';

interface AddOptions {
  project: string;
  package: string;
  version?: string;
  sealedPackage?: string;
  to?: string;
  safest?: true;
  origin?: true;
  replace?: true;
}

export function defineRulesAdd(command: Command, context: CommandContext): void {
  withJson(command, [
    'rules add --package ejs --version 2.7.4 --safest',
    'rules add --project shop --package ejs --version 2.7.4 --to 2.7.4-sp1',
    'rules add --project shop --package ejs --version 2.7.4 --origin',
    "rules add --package '<ANY>' --safest",
  ])
    .description('Add a sealing rule.')
    .option('--project <name>', 'project that the rule is for, or <ANY> for all', anySentinel)
    .requiredOption('--package <name>', 'vulnerable package, or <ANY> for every package and version')
    .option('--version <version>', 'vulnerable version')
    .option('--sealed-package <name>', 'package that replaces it (default: the same name)')
    .option('--to <version>', `sealed version, ${safestSentinel} or ${originSentinel}`)
    .option('--safest', `the same as --to '${safestSentinel}'`)
    .option('--origin', `the same as --to '${originSentinel}': keep the package as it is`)
    .option('--replace', 'replace the rule of this project, package and version if there is one')
    .action(context.action((options: AddOptions) => addRule(options, context)));
}

async function addRule(options: AddOptions, { openClient, output }: CommandContext) {
  const body = ruleOf(options);
  const client = await openClient();
  const rule = options.replace
    ? await client.call(endpoints.putSealingRule, { body })
    : await client.call(endpoints.createSealingRule, { body, idempotencyKey: randomUUID() });
  output.result(rule, () => renderRules([rule]));
  return exitCodes.done;
}

function ruleOf(options: AddOptions): SealingRuleInput {
  const everything = options.package === anySentinel;
  const version = options.version ?? (everything ? anySentinel : undefined);
  if (version === undefined) throw new CliError('usage', 'Give the vulnerable version with --version.');
  return {
    project_name: options.project,
    vulnerable_package_name: options.package,
    vulnerable_package_version: version,
    sealed_package_name: options.sealedPackage ?? options.package,
    sealed_package_version: outcomeOf(options),
  };
}

function outcomeOf({ to, safest, origin }: AddOptions): string {
  const given = [to, safest && safestSentinel, origin && originSentinel].filter((value) => value !== undefined);
  const [outcome] = given;
  if (given.length !== 1 || outcome === undefined) {
    throw new CliError('usage', 'Say what the rule leads to with exactly one of --to, --safest and --origin.');
  }
  return outcome;
}
