import { expect, test } from 'vitest';
import { createLogger } from '../platform/logger.ts';
import { startBuildLoop } from './build-loop.ts';

const log = createLogger('silent');
const never = 2 ** 30;

test('works until nothing waits, and again when it is notified', async () => {
  let waiting = 3;
  const idle = createSignal();
  const job = {
    runOnce: async () => {
      if (waiting === 0) {
        idle.fire();
        return false;
      }
      waiting -= 1;
      return true;
    },
  };
  await using loop = startBuildLoop({ job, log, pollMs: never });
  await idle.next();
  expect(waiting).toBe(0);

  waiting = 1;
  const again = idle.next();
  loop.notify();
  await again;
  expect(waiting).toBe(0);
});

test('a notification during the last look is not lost', async () => {
  let looks = 0;
  const second = createSignal();
  const secondLook = second.next();
  const gate = Promise.withResolvers<void>();
  const job = {
    runOnce: async () => {
      looks += 1;
      if (looks === 1) await gate.promise;
      else second.fire();
      return false;
    },
  };
  await using loop = startBuildLoop({ job, log, pollMs: never });
  loop.notify();
  gate.resolve();

  await secondLook;
  expect(looks).toBe(2);
});

test('goes on after a job has thrown', async () => {
  let looks = 0;
  const second = createSignal();
  const secondLook = second.next();
  const job = {
    runOnce: async () => {
      looks += 1;
      if (looks === 1) throw new Error('the database is away');
      second.fire();
      return false;
    },
  };
  await using _loop = startBuildLoop({ job, log, pollMs: 1 });
  await secondLook;
});

test('stopping waits for the build that is running', async () => {
  const gate = Promise.withResolvers<void>();
  const events: string[] = [];
  const job = {
    runOnce: async () => {
      await gate.promise;
      events.push('built');
      return true;
    },
  };
  const loop = startBuildLoop({ job, log, pollMs: never });
  const stopped = loop[Symbol.asyncDispose]().then(() => events.push('stopped'));
  gate.resolve();

  await stopped;
  expect(events).toEqual(['built', 'stopped']);
});

/** Something to wait for that may happen many times. */
function createSignal() {
  let waiters: (() => void)[] = [];
  return {
    next: () => new Promise<void>((resolve) => waiters.push(resolve)),
    fire: () => {
      for (const waiter of waiters) waiter();
      waiters = [];
    },
  };
}
