import path from 'node:path';
import { endpoints } from '@sealsmith/contract';
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { withJson } from '../command-options.ts';
import { advisoryBatches } from '../import/advisory-batches.ts';
import { runImport } from '../import/run-import.ts';
import { runAsOperator } from '../run-as-operator.ts';
import { hasToken } from '../settings.ts';

export function defineAdvisories(command: Command, context: CommandContext): void {
  withJson(command.command('import'), ['advisories import all.zip', 'advisories import ./advisories'])
    .description(
      'Import OSV records: a .json, .jsonl, .ndjson, .yaml, .yml or .zip file, or a folder of them. With SEALSMITH_TOKEN they are the tenant’s; without it, where the service is installed, they are for every tenant.',
    )
    .argument('<path>')
    .action(context.action((source: string) => importAdvisories(source, context)));
}

async function importAdvisories(source: string, context: CommandContext) {
  const { io, openClient, output } = context;
  if (!hasToken(io.env)) return runAsOperator(context);
  const { isFolder, batches } = await advisoryBatches(path.resolve(io.cwd, source), source);
  const client = await openClient();
  return runImport({
    batches,
    send: (content) => client.call(endpoints.importAdvisories, { source: content }),
    goesOn: isFolder,
    output,
  });
}
