import path from 'node:path';
import { endpoints, type ResolvedPackage, type SealingRule, type WireEcosystem } from '@sealsmith/contract';
import type { Command } from 'commander';
import { CliError } from '../cli-error.ts';
import type { CommandContext } from '../command-context.ts';
import { withEcosystem, withJson } from '../command-options.ts';
import { exitCodes } from '../exit-codes.ts';
import { projectNameFrom } from '../settings.ts';

interface ExplainOptions {
  ecosystem: WireEcosystem;
  project?: string;
}

export function defineRulesExplain(command: Command, context: CommandContext): void {
  withEcosystem(withJson(command, ['rules explain ejs 2.7.4 --project shop']))
    .description('Say what the rules do to a package version, and why.')
    .argument('<package>')
    .argument('<version>')
    .option('--project <name>', 'project to explain it for (default: the name of this folder)')
    .action(
      context.action((packageName: string, packageVersion: string, options: ExplainOptions) =>
        explain({ packageName, packageVersion, options }, context),
      ),
    );
}

interface Question {
  packageName: string;
  packageVersion: string;
  options: ExplainOptions;
}

async function explain({ packageName, packageVersion, options }: Question, { io, openClient, output }: CommandContext) {
  const projectName = projectNameFrom({ option: options.project, env: io.env, fallbacks: [path.basename(io.cwd)] });
  const reference = { ecosystem: options.ecosystem, package_name: packageName, package_version: packageVersion };
  const client = await openClient();
  const { items } = await client.call(endpoints.resolveSealingRules, {
    body: { project_name: projectName, packages: [reference] },
  });
  const [item] = items;
  if (item === undefined) throw new CliError('server', 'The server explains nothing.');
  if (item.outcome === 'error') throw new CliError('refused', item.error.detail);
  output.result({ project_name: projectName, ...item }, () => renderExplanation(projectName, item));
  return exitCodes.done;
}

function renderExplanation(projectName: string, item: ResolvedPackage): string {
  const sealed = item.outcome === 'sealed' ? ` by ${item.sealed_package_name} ${item.sealed_package_version}` : '';
  const lines = [
    `${item.package_name} ${item.package_version} (${item.ecosystem}) in project ${projectName}: ${item.outcome}${sealed}`,
    `  ${item.reason}`,
  ];
  if (item.rule !== null) lines.push(`  Deciding rule: ${renderRule(item.rule)}`);
  for (const { rule, reason } of item.losing_rules) lines.push(`  Lost: ${renderRule(rule)}`, `    ${reason}`);
  if (item.artifact !== null) lines.push(`  Artifact: ${item.artifact.url}`, `    ${item.artifact.integrity}`);
  return lines.join('\n');
}

function renderRule(rule: SealingRule): string {
  const { project_name, vulnerable_package_name, vulnerable_package_version, sealed_package_version } = rule;
  return `project ${project_name}, package ${vulnerable_package_name}, version ${vulnerable_package_version} → ${sealed_package_version}`;
}
