import { ecosystemIds } from '@sealsmith/ecosystems';
import { expect, test } from 'vitest';
import { createOutboundFetch } from '../platform/outbound-fetch.ts';
import { createBuilders } from './registry.ts';

test('every ecosystem has a builder, or says in a sentence why not', async () => {
  await using outbound = createOutboundFetch({
    allowedOrigins: [],
    userAgent: 'sealsmith-test',
    timeoutMs: { connect: 1, headers: 1, bodyIdle: 1, total: 1 },
  });
  const builders = createBuilders({ npm: { outbound, upstreamUrl: new URL('http://127.0.0.1:9') } });
  expect(Object.keys(builders).sort()).toEqual([...ecosystemIds].sort());
  for (const [ecosystem, builder] of Object.entries(builders)) {
    if (builder.supported) expect(builder.ecosystem).toBe(ecosystem);
    else expect(builder.reason).toMatch(/^[A-Z].{20,}\.$/);
  }
});
