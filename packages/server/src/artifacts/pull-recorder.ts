import type { EcosystemId } from '@sealsmith/ecosystems';
import type { Database } from '../database/database.ts';
import { inTransaction } from '../database/transaction.ts';
import { type Clock, timestamp } from '../platform/clock.ts';
import type { TenantScope } from '../platform/tenancy.ts';
import { addPulls, type PullCount } from './pull-store.ts';

export interface Pull {
  /** Empty when the client named none. */
  projectName: string;
  ecosystem: EcosystemId;
  packageName: string;
  packageVersion: string;
}

export interface PullRecorder extends AsyncDisposable {
  /** Counts a download; it is written within a second or so, and when the recorder is disposed of. */
  record(scope: TenantScope, pull: Pull): void;
}

interface Options {
  database: Database;
  clock: Clock;
  onError(error: unknown): void;
}

interface PendingPull extends PullCount {
  scope: TenantScope;
}

const flushMs = 1_000;
/** While the database is away, pulls of more package versions than this are not counted. */
const pendingMax = 100_000;

/** Collects pulls in memory and writes them together: a download must not wait for a write. */
export function createPullRecorder({ database, clock, onError }: Options): PullRecorder {
  const pending = new Map<string, PendingPull>();
  const add = (key: string, pull: PendingPull) => {
    const known = pending.get(key);
    if (known) {
      known.count += pull.count;
      if (pull.firstOn < known.firstOn) known.firstOn = pull.firstOn;
      if (pull.lastOn > known.lastOn) known.lastOn = pull.lastOn;
    } else if (pending.size < pendingMax) pending.set(key, pull);
  };
  const flush = async () => {
    if (pending.size === 0) return;
    // In one order for every process, so that two of them never wait for each other's rows.
    const taken = [...pending].sort(([a], [b]) => (a < b ? -1 : 1));
    pending.clear();
    try {
      await write(
        database,
        taken.map(([, pull]) => pull),
      );
    } catch (error) {
      for (const [key, pull] of taken) add(key, pull);
      throw error;
    }
  };
  let writing = Promise.resolve();
  const flushInTurn = () => {
    writing = writing.then(flush).catch(onError);
    return writing;
  };
  const timer = setInterval(flushInTurn, flushMs).unref();
  return {
    record: (scope, pull) => {
      const now = timestamp(clock);
      const { projectName, ecosystem, packageName, packageVersion } = pull;
      const key = [scope.tenantId, projectName, ecosystem, packageName, packageVersion].join('\n');
      add(key, { scope, projectName, ecosystem, packageName, packageVersion, count: 1, firstOn: now, lastOn: now });
    },
    [Symbol.asyncDispose]: async () => {
      clearInterval(timer);
      await flushInTurn();
    },
  };
}

function write(database: Database, pulls: readonly PendingPull[]): Promise<void> {
  return inTransaction(database, async (transaction) => {
    for (const group of Map.groupBy(pulls, ({ scope }) => scope.tenantId).values()) {
      const [first] = group;
      if (first) await addPulls(transaction, first.scope, group);
    }
  });
}
