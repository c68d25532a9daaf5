import type { EndpointId, ErrorCode } from '@sealsmith/contract';
import { expect, test } from 'vitest';
import { takeObservations } from './api-client.ts';

/**
 * A test that an endpoint gives an answer: a status of success, or a problem with this code. It fails when no such answer
 * is seen, so that tests/api/coverage.test.ts can rely on what stands in the sources.
 */
export function covers(
  endpoint: EndpointId,
  outcome: number | ErrorCode,
  guarantee: string,
  run: () => Promise<void>,
): void {
  test(`${endpoint} ${outcome}: ${guarantee}`, async () => {
    takeObservations();
    await run();
    expect(takeObservations(), 'the answer that the test says it covers').toContainEqual({ endpoint, outcome });
  });
}
