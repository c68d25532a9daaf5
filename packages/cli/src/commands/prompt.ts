import { endpoints, type WireEcosystem } from '@sealsmith/contract';
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { withEcosystem, withJson } from '../command-options.ts';
import { exitCodes } from '../exit-codes.ts';

interface Subject {
  packageName: string;
  version: string;
  vulnerability: string;
}

export function definePrompt(command: Command, context: CommandContext): void {
  withEcosystem(withJson(command, ['prompt ejs 2.7.4 CVE-2022-29078 > prompt.txt']))
    .argument('<package>')
    .argument('<version>', 'vulnerable version')
    .argument('<vulnerability>', 'CVE, GHSA or any other identifier')
    .action(
      context.action(
        (packageName: string, version: string, vulnerability: string, options: { ecosystem: WireEcosystem }) =>
          printPrompt({ packageName, version, vulnerability }, options.ecosystem, context),
      ),
    );
}

async function printPrompt(
  { packageName, version, vulnerability }: Subject,
  ecosystem: WireEcosystem,
  { openClient, output }: CommandContext,
) {
  const query = {
    ecosystem,
    package_name: packageName,
    vulnerable_version: version,
    vulnerability_identifier: vulnerability,
  };
  const client = await openClient();
  const prompt = await client.call(endpoints.getValidationPrompt, { query });
  if (output.isJson) output.result({ ...query, prompt }, () => prompt);
  else output.verbatim(prompt);
  return exitCodes.done;
}
