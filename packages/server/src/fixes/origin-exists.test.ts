import { expect, test } from 'vitest';
import { createOriginExists } from './origin-exists.ts';
import { failureOf } from './testing/call-route.ts';
import { templateFiles } from './testing/catalog.ts';
import { startNpmUpstream } from './testing/npm-upstream.ts';

test('tells a version that upstream has from one that it has not', async () => {
  await using upstream = await startNpmUpstream(templateFiles);
  const originExists = createOriginExists(upstream.builders);
  expect(await originExists('npm', 'plain-template', '1.4.2')).toBe(true);
  expect(await originExists('npm', 'plain-template', '1.4.3')).toBe(false);
  expect(await originExists('npm', 'no-such-package', '1.4.2')).toBe(false);
});

test('a version whose bytes are wrong is there all the same', async () => {
  await using upstream = await startNpmUpstream(templateFiles);
  upstream.tamper();
  expect(await createOriginExists(upstream.builders)('npm', 'plain-template', '1.4.2')).toBe(true);
});

test('an ecosystem that nothing is built for is not asked', async () => {
  await using upstream = await startNpmUpstream(templateFiles);
  expect(await createOriginExists(upstream.builders)('maven', 'org.example:lib', '1.0')).toBe(true);
});

test('an upstream that does not answer is no answer', async () => {
  await using upstream = await startNpmUpstream(templateFiles);
  upstream.goDown();
  const asked = createOriginExists(upstream.builders)('npm', 'plain-template', '1.4.2');
  expect(await failureOf(asked)).toMatchObject({ code: 'upstream_unavailable' });
});
