import { ecosystemIds } from '@sealsmith/ecosystems';
import { expect, test } from 'vitest';
import { artifactProtocols } from './registry.ts';

test('every ecosystem is served or says in a sentence why it is not', () => {
  expect(Object.keys(artifactProtocols).sort()).toEqual([...ecosystemIds].sort());
  for (const protocol of Object.values(artifactProtocols)) {
    if (protocol.supported) expect(protocol.pathPrefix).toMatch(/^\/artifacts\/[a-z]+$/);
    else expect(protocol.reason).toMatch(/^[A-Z].+\.$/);
  }
});
