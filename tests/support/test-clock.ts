import type { Clock } from '../../packages/server/src/platform/clock.ts';

/** A clock that only the test moves. */
export interface TestClock extends Clock {
  advance(ms: number): void;
}

export function createTestClock(start = '2026-11-21T13:45:07.123Z'): TestClock {
  let time = Date.parse(start);
  return {
    now: () => new Date(time),
    advance: (ms) => {
      time += ms;
    },
  };
}
