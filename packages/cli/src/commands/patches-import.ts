import path from 'node:path';
import { endpoints } from '@sealsmith/contract';
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { withJson } from '../command-options.ts';
import { patchBatches } from '../import/patch-batches.ts';
import { runImport } from '../import/run-import.ts';
import { runAsOperator } from '../run-as-operator.ts';
import { hasToken } from '../settings.ts';

export function definePatches(command: Command, context: CommandContext): void {
  withJson(command.command('import'), ['patches import ./patches'])
    .description(
      'Import a folder of patches, laid out as <Ecosystem>/<name>/<version>/spN/NNNN-<ID>.patch. With SEALSMITH_TOKEN they are the tenant’s; without it, where the service is installed, they are for every tenant.',
    )
    .argument('<path>')
    .action(context.action((folder: string) => importPatches(folder, context)));
}

async function importPatches(folder: string, context: CommandContext) {
  const { io, openClient, output } = context;
  if (!hasToken(io.env)) return runAsOperator(context);
  const batches = await patchBatches(path.resolve(io.cwd, folder), folder);
  const client = await openClient();
  return runImport({
    batches,
    send: (content) => client.call(endpoints.importPatches, { body: { patch_sets: content } }),
    goesOn: true,
    output,
  });
}
