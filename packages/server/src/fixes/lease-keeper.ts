import type { Logger } from '../platform/logger.ts';

interface Options {
  /** @returns false when the lease has been lost */
  renew(): Promise<boolean>;
  intervalMs: number;
  log: Logger;
}

/** Renews a lease again and again while `work` runs. A lost lease is only logged: what the work writes checks it itself. */
export async function whileLeased<Result>(
  { renew, intervalMs, log }: Options,
  work: () => Promise<Result>,
): Promise<Result> {
  let renewal: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    renewal = renewal.then(renew).then(
      (isKept) => {
        if (isKept) return;
        clearInterval(timer);
        log.warn('the lease of a build was lost');
      },
      (error: unknown) => log.warn({ err: error }, 'the lease of a build could not be renewed'),
    );
  }, intervalMs);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    await renewal;
  }
}
