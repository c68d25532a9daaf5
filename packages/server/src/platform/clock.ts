/** The time, passed in so that tests decide it. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

/** `2026-11-21T13:45:07.123Z`: sorts as text in the order of time. */
export function timestamp(clock: Clock): string {
  return clock.now().toISOString();
}
