import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FakePackument, type FakeRegistry, startFakeRegistry } from '../testing/fake-registry.ts';
import { startNpmArtifacts } from '../testing/start-npm-artifacts.ts';

let registry: FakeRegistry;
beforeAll(async () => {
  registry = await startFakeRegistry();
  await registry.publish('internal', { '9.9.9': {} });
});
afterAll(async () => registry[Symbol.asyncDispose]());

test('a name that is ours alone is neither asked for upstream nor mixed with a namesake there', async () => {
  const isOwnName = async (_db: unknown, _scope: unknown, _ecosystem: string, name: string) =>
    name.startsWith('internal');
  await using artifacts = await startNpmArtifacts({ upstreamUrl: registry.url, isOwnName });
  const bytes = Buffer.from('sealed');
  await artifacts.seal({ name: 'internal', originVersion: '1.0.0', iteration: 1, bytes });
  const document = (await (await artifacts.get('internal')).json()) as FakePackument;
  expect(Object.keys(document.versions)).toEqual(['1.0.0-sp1']);
  expect(document['dist-tags']).toEqual({});
  expect((await artifacts.get('internal/9.9.9')).status).toBe(404);
  expect((await artifacts.get('internal/-/internal-9.9.9.tgz')).status).toBe(404);
  expect((await artifacts.get('internal-unsealed')).status).toBe(404);
  const tarball = await artifacts.get('internal/-/internal-1.0.0-sp1.tgz');
  expect(Buffer.from(await tarball.arrayBuffer())).toEqual(bytes);
  expect(registry.requests).toEqual([]);
});

test('without an upstream only sealed versions are served', async () => {
  await using artifacts = await startNpmArtifacts({ upstreamUrl: null });
  await artifacts.seal({ name: 'internal', originVersion: '1.0.0', iteration: 1, bytes: Buffer.from('sealed') });
  const document = (await (await artifacts.get('internal')).json()) as FakePackument;
  expect(document).toMatchObject({
    name: 'internal',
    'dist-tags': {},
    time: { '1.0.0-sp1': '2026-11-21T10:00:00.000Z' },
  });
  expect(Object.keys(document.versions)).toEqual(['1.0.0-sp1']);
  expect((await artifacts.get('internal/-/internal-1.0.0-sp1.tgz')).status).toBe(200);
  expect((await artifacts.get('other')).status).toBe(404);
});
