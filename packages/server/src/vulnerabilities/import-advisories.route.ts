import { endpoints, type ImportReport } from '@sealsmith/contract';
import { recordAudit } from '../audit/record-audit.ts';
import type { Database } from '../database/database.ts';
import { inTransaction } from '../database/transaction.ts';
import type { Clock } from '../platform/clock.ts';
import { defineRoute, type RequestContext } from '../platform/http/route.ts';
import { readAdvisories, type SourceRecord } from './advisory-source.ts';
import { boundUpload, spoolUpload } from './bounded-upload.ts';
import { type ImportCounts, importAdvisories } from './import-advisories.ts';
import type { RefreshStates } from './state-refresh.ts';

const { bytesMax } = endpoints.importAdvisories.body;

interface Dependencies {
  database: Database;
  clock: Clock;
  refreshStates: RefreshStates;
  /** Where an uploaded zip lies while it is read. */
  temporaryDir: string;
}

export function importAdvisoriesRoute(dependencies: Dependencies) {
  return defineRoute(endpoints.importAdvisories, async (_input, context) => {
    const report = await importAudited(uploaded(context, dependencies.temporaryDir), context, dependencies);
    return { status: 200, body: report };
  });
}

/** A zip is spooled, because its directory stands at its end; everything else is read as it arrives. */
async function* uploaded({ stream, mediaType }: RequestContext, temporaryDir: string): AsyncGenerator<SourceRecord> {
  const upload = boundUpload(stream as AsyncIterable<Uint8Array | string>, bytesMax);
  if (mediaType !== 'application/zip') {
    yield* readAdvisories({ stream: upload, mediaType });
    return;
  }
  await using file = await spoolUpload(upload, temporaryDir, 'upload.zip');
  yield* readAdvisories({ path: file.path });
}

/** What was taken over before a failure stays, so that it is audited as well. */
async function importAudited(
  records: AsyncIterable<SourceRecord>,
  { caller }: RequestContext,
  { database, clock, refreshStates }: Dependencies,
): Promise<ImportReport> {
  let counts: ImportCounts = { imported: 0, unchanged: 0, skipped: 0 };
  const note = (latest: ImportCounts) => {
    counts = latest;
  };
  try {
    return await importAdvisories({ database, refreshStates }, caller, records, note);
  } finally {
    const entry = {
      actor: caller.tokenId,
      action: 'advisories.imported',
      subject: 'advisories',
      detail: { ...counts },
    };
    await inTransaction(database, (transaction) => recordAudit(transaction, caller, clock, entry));
  }
}
