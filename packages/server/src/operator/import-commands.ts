import path from 'node:path';
import { parseArgs } from 'node:util';
import type { ImportReport } from '@sealsmith/contract';
import { composeCatalog, type SharedCatalog } from '../compose-catalog.ts';
import { systemClock } from '../platform/clock.ts';
import { openOperatorDatabase } from './open-operator-database.ts';
import { type OperatorIo, operatorExitCodes, UsageError } from './operator-io.ts';

/** Imports OSV records for every tenant. */
export async function importAdvisoriesCommand(args: string[], io: OperatorIo): Promise<number> {
  return importWith(args, io, {
    usage: 'Usage: sealsmith advisories import PATH [--json]',
    run: (catalog, file) => catalog.importAdvisories(file, (counts) => showProgress(io, counts)),
  });
}

/** Imports a folder of patches for every tenant. */
export async function importPatchesCommand(args: string[], io: OperatorIo): Promise<number> {
  return importWith(args, io, {
    usage: 'Usage: sealsmith patches import DIR [--json]',
    run: (catalog, folder) => catalog.importPatches(folder),
  });
}

interface Import {
  usage: string;
  run(catalog: SharedCatalog, file: string): Promise<ImportReport>;
}

async function importWith(args: string[], io: OperatorIo, { usage, run }: Import): Promise<number> {
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options: { json: { type: 'boolean' } } });
  const [file] = positionals;
  if (!file || positionals.length > 1) throw new UsageError(usage);
  await using database = await openOperatorDatabase(io, { mayCreate: true });
  const report = await run(composeCatalog(database, systemClock), path.resolve(file));
  if (io.stderr.isTTY) io.stderr.write('\r\u001b[2K');
  if (values.json) io.stdout.write(`${JSON.stringify(report)}\n`);
  else {
    io.stdout.write(`imported ${report.imported}, unchanged ${report.unchanged}, skipped ${report.skipped}\n`);
    for (const { name, reason } of report.problems) io.stderr.write(`${name}: ${reason}\n`);
  }
  return report.skipped > 0 ? operatorExitCodes.refused : operatorExitCodes.done;
}

function showProgress({ stderr }: OperatorIo, { imported, unchanged, skipped }: Omit<ImportReport, 'problems'>): void {
  if (stderr.isTTY) stderr.write(`\r${imported + unchanged + skipped} records`);
}
