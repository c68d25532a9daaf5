import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createLogger } from '../platform/logger.ts';
import { whileLeased } from './lease-keeper.ts';

const log = createLogger('silent');

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('renews as long as the work runs, and not after', async () => {
  const renew = vi.fn(async () => true);
  const work = Promise.withResolvers<string>();
  const result = whileLeased({ renew, intervalMs: 1_000, log }, () => work.promise);
  await vi.advanceTimersByTimeAsync(3_000);
  expect(renew).toHaveBeenCalledTimes(3);

  work.resolve('done');
  expect(await result).toBe('done');
  await vi.advanceTimersByTimeAsync(3_000);
  expect(renew).toHaveBeenCalledTimes(3);
});

test('stops renewing what it has lost', async () => {
  const renew = vi.fn(async () => false);
  const work = Promise.withResolvers<string>();
  const result = whileLeased({ renew, intervalMs: 1_000, log }, () => work.promise);
  await vi.advanceTimersByTimeAsync(5_000);
  work.resolve('done');
  await result;
  expect(renew).toHaveBeenCalledTimes(1);
});

test('a renewal that fails does not end the work and is tried again', async () => {
  const renew = vi.fn(async (): Promise<boolean> => {
    throw new Error('the database is away');
  });
  const work = Promise.withResolvers<string>();
  const result = whileLeased({ renew, intervalMs: 1_000, log }, () => work.promise);
  await vi.advanceTimersByTimeAsync(2_000);
  work.resolve('done');
  expect(await result).toBe('done');
  expect(renew).toHaveBeenCalledTimes(2);
});

test('work that fails ends the renewals', async () => {
  const renew = vi.fn(async () => true);
  const result = whileLeased({ renew, intervalMs: 1_000, log }, () => Promise.reject(new Error('broken')));
  await expect(result).rejects.toThrow('broken');
  await vi.advanceTimersByTimeAsync(5_000);
  expect(renew).not.toHaveBeenCalled();
});
