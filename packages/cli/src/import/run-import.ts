import type { ImportReport } from '@sealsmith/contract';
import { CliError } from '../cli-error.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import type { Output } from '../output.ts';
import { systemErrorCode } from '../plain-file.ts';
import type { Batch } from './batch.ts';

interface ImportRun<Content> {
  batches: AsyncIterable<Batch<Content>>;
  send(content: Content): Promise<ImportReport>;
  /** Whether what is wrong with one request is a problem of that part, and the others are sent all the same. */
  goesOn: boolean;
  output: Output;
}

/** Sends every batch and prints the sum of what became of them. */
export async function runImport<Content>({ batches, send, goesOn, output }: ImportRun<Content>): Promise<ExitCode> {
  const total: ImportReport = { imported: 0, unchanged: 0, skipped: 0, problems: [] };
  let isEmpty = true;
  for await (const batch of batches) {
    isEmpty = false;
    add(total, 'reason' in batch ? skippedFor(batch) : await sendBatch(batch, { send, goesOn }));
    output.progress.update(
      `${total.imported} imported, ${total.unchanged} unchanged${'label' in batch ? `: ${batch.label}` : ''}`,
    );
  }
  if (isEmpty) throw new CliError('usage', 'There is nothing in it that can be imported.');
  output.result(total, () => renderImport(total));
  return total.problems.length > 0 || total.skipped > 0 ? exitCodes.refused : exitCodes.done;
}

async function sendBatch<Content>(
  { content, label, placeOf }: Exclude<Batch<Content>, { reason: string }>,
  { send, goesOn }: Pick<ImportRun<Content>, 'send' | 'goesOn'>,
): Promise<ImportReport> {
  try {
    const report = await send(content);
    return { ...report, problems: report.problems.map(({ name, reason }) => ({ name: placeOf(name), reason })) };
  } catch (error) {
    const failure = error instanceof CliError ? error : unreadable(label, error);
    if (!goesOn || failure.kind === 'server' || failure.kind === 'interrupted') throw failure;
    return skippedFor({ name: label, reason: failure.message });
  }
}

function unreadable(label: string, error: unknown): CliError {
  return new CliError('usage', `${label} cannot be read (${systemErrorCode(error)}).`, { cause: error });
}

function skippedFor(problem: ImportReport['problems'][number]): ImportReport {
  return { imported: 0, unchanged: 0, skipped: 1, problems: [problem] };
}

function add(total: ImportReport, report: ImportReport): void {
  total.imported += report.imported;
  total.unchanged += report.unchanged;
  total.skipped += report.skipped;
  total.problems.push(...report.problems);
}

function renderImport({ imported, unchanged, skipped, problems }: ImportReport): string {
  const lines = problems.map(({ name, reason }) => `  ${name}: ${reason}`);
  return [`${imported} imported, ${unchanged} unchanged, ${skipped} skipped`, ...lines].join('\n');
}
