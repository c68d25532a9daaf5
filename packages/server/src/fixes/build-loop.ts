import type { Logger } from '../platform/logger.ts';
import type { BuildJob } from './build.job.ts';

/** Works off fixes until it is disposed of; then it finishes the build that it is at. */
export interface BuildLoop extends AsyncDisposable {
  /** Looks for work now, instead of when the pause is over. */
  notify(): void;
}

interface Options {
  job: BuildJob;
  log: Logger;
  /** How long to pause when nothing waits; another instance may have queued something. */
  pollMs: number;
}

export function startBuildLoop({ job, log, pollMs }: Options): BuildLoop {
  const alarm = createAlarm();
  let isStopping = false;
  const run = async () => {
    while (!isStopping) {
      const hasWorked = await job.runOnce().catch((error: unknown) => {
        log.error({ err: error }, 'the build loop has failed and goes on');
        return false;
      });
      if (!hasWorked) await alarm.sleep(pollMs);
    }
  };
  const done = run();
  return {
    notify: alarm.ring,
    [Symbol.asyncDispose]: async () => {
      isStopping = true;
      alarm.ring();
      await done;
    },
  };
}

/** A sleep that can be ended early. A ring while nobody sleeps ends the next sleep at once: it must not get lost. */
function createAlarm() {
  let hasRung = false;
  let wake = () => {};
  return {
    ring: () => {
      hasRung = true;
      wake();
    },
    sleep: async (ms: number) => {
      if (!hasRung) {
        const { promise, resolve } = Promise.withResolvers<void>();
        wake = resolve;
        const timer = setTimeout(resolve, ms);
        await promise;
        clearTimeout(timer);
      }
      hasRung = false;
    },
  };
}
