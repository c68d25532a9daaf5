import { createHash } from 'node:crypto';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { createOutboundFetch } from '../../platform/outbound-fetch.ts';
import { readTarball, writeTarball } from '../archive.ts';
import { IntegrityError } from '../integrity-error.ts';
import { createNpmBuilder } from './index.ts';

const open: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

const packageJson = '{\n\t"name": "@acme/set",\n\t"version": "1.2.3",\n\t"main": "lib/set.js"\n}\n';
const source = 'module.exports = function set(o, k, v) {\n  o[k] = v;\n  return o;\n};\n';
const nested = '{ "name": "nested", "version": "1.2.3" }\n';
const fix = `Subject: [PATCH] Refuse the prototype

This patch fixes:
  CVE-2024-0001

--- a/lib/set.js
+++ b/lib/set.js
@@ -1,4 +1,5 @@
 module.exports = function set(o, k, v) {
+  if (k === '__proto__') return o;
   o[k] = v;
   return o;
 };
`;

const packOrigin = () =>
  writeTarball([
    { path: 'package.json', bytes: Buffer.from(packageJson), isExecutable: false },
    { path: 'lib/set.js', bytes: Buffer.from(source), isExecutable: false },
    { path: 'lib/esm/package.json', bytes: Buffer.from(nested), isExecutable: false },
    { path: 'bin/cli.js', bytes: Buffer.from('#!/usr/bin/env node\n'), isExecutable: true },
  ]);

const sri = (bytes: Buffer, algorithm = 'sha512') =>
  `${algorithm}-${createHash(algorithm).update(bytes).digest('base64')}`;
const sha1 = (bytes: Buffer) => createHash('sha1').update(bytes).digest('hex');

type Dist = Record<string, unknown>;

interface RegistryOptions {
  tarball: Buffer;
  dist?: (dist: Dist) => Dist;
  /** Whether `/<name>/<version>` is answered, or only the packument. */
  servesVersions?: boolean;
  status?: number;
}

/** A registry under a path, as many companies run one. */
async function startRegistry({ tarball, dist = (same) => same, servesVersions = true, status = 200 }: RegistryOptions) {
  const asked: string[] = [];
  let origin = '';
  const manifest = () => ({
    name: '@acme/set',
    version: '1.2.3',
    main: 'lib/set.js',
    gitHead: 'abc',
    _id: '@acme/set@1.2.3',
    _npmUser: { name: 'someone' },
    _hasShrinkwrap: false,
    dist: dist({
      tarball: `${origin}/npm/@acme/set/-/set-1.2.3.tgz`,
      integrity: sri(tarball),
      shasum: sha1(tarball),
      signatures: [{ keyid: 'k', sig: 's' }],
    }),
  });
  const listener: RequestListener = (request, response) => {
    asked.push(request.url ?? '');
    const bodies: Record<string, () => string | Buffer> = {
      ...(servesVersions ? { '/npm/@acme%2fset/1.2.3': () => JSON.stringify(manifest()) } : {}),
      '/npm/@acme%2fset': () => JSON.stringify({ name: '@acme/set', versions: { '1.2.3': manifest() } }),
      '/npm/@acme/set/-/set-1.2.3.tgz': () => tarball,
    };
    const body = bodies[request.url ?? ''];
    if (body) response.writeHead(status).end(body());
    else response.writeHead(404).end('{}');
  };
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const outbound = createOutboundFetch({
    allowedOrigins: [origin],
    userAgent: 'sealsmith-test',
    timeoutMs: { connect: 2000, headers: 2000, bodyIdle: 2000, total: 10_000 },
    sleep: async () => undefined,
  });
  open.push(
    () => new Promise((resolve) => server.close(resolve)),
    async () => outbound[Symbol.asyncDispose](),
  );
  return { asked, builder: createNpmBuilder({ outbound, upstreamUrl: new URL(`${origin}/npm/`) }) };
}

async function build(patchText: string) {
  const { builder } = await startRegistry({ tarball: await packOrigin() });
  const origin = await builder.fetchOrigin('@acme/set', '1.2.3');
  const patches = [{ fileName: '0001-CVE-2024-0001.patch', text: patchText, identifiers: ['CVE-2024-0001'] }];
  return builder.build({ name: '@acme/set', originVersion: '1.2.3', iteration: 1, patches, origin });
}

test('the origin is fetched from below the upstream’s path, checked, and described', async () => {
  const tarball = await packOrigin();
  const { builder, asked } = await startRegistry({ tarball });
  const origin = await builder.fetchOrigin('@acme/set', '1.2.3');
  expect(asked).toEqual(['/npm/@acme%2fset/1.2.3', '/npm/@acme/set/-/set-1.2.3.tgz']);
  expect(origin).toMatchObject({ fileName: 'set-1.2.3.tgz', integrity: sri(tarball), manifest: { version: '1.2.3' } });
  expect(origin.bytes.equals(tarball)).toBe(true);
});

test('a registry that serves packuments only is good enough', async () => {
  const { builder } = await startRegistry({ tarball: await packOrigin(), servesVersions: false });
  expect((await builder.fetchOrigin('@acme/set', '1.2.3')).fileName).toBe('set-1.2.3.tgz');
});

test('a version or name that upstream lacks, or that cannot be one, is not found', async () => {
  const { builder, asked } = await startRegistry({ tarball: await packOrigin() });
  await expect(builder.fetchOrigin('@acme/set', '9.9.9')).rejects.toMatchObject({ code: 'package_version_not_found' });
  await expect(builder.fetchOrigin('@acme/other', '1.2.3')).rejects.toMatchObject({
    code: 'package_version_not_found',
  });
  const before = asked.length;
  await expect(builder.fetchOrigin('../set', '1.2.3')).rejects.toMatchObject({ code: 'package_version_not_found' });
  await expect(builder.fetchOrigin('@acme/set', 'latest')).rejects.toMatchObject({ code: 'package_version_not_found' });
  expect(asked.length).toBe(before);
});

test('bytes with another digest than the published one are never used', async () => {
  const tarball = await packOrigin();
  const other = Buffer.from('other bytes');
  const wrong = await startRegistry({ tarball, dist: (dist) => ({ ...dist, integrity: sri(other) }) });
  await expect(wrong.builder.fetchOrigin('@acme/set', '1.2.3')).rejects.toBeInstanceOf(IntegrityError);
  const weakIsRight = { integrity: `${sri(tarball, 'sha1')} ${sri(other)}` };
  const strongest = await startRegistry({ tarball, dist: (dist) => ({ ...dist, ...weakIsRight }) });
  await expect(strongest.builder.fetchOrigin('@acme/set', '1.2.3')).rejects.toBeInstanceOf(IntegrityError);
  const none = await startRegistry({ tarball, dist: ({ tarball: url }) => ({ tarball: url }) });
  await expect(none.builder.fetchOrigin('@acme/set', '1.2.3')).rejects.toBeInstanceOf(IntegrityError);
});

test('an old publication is checked by its sha1', async () => {
  const tarball = await packOrigin();
  const right = await startRegistry({ tarball, dist: ({ tarball: url, shasum }) => ({ tarball: url, shasum }) });
  expect((await right.builder.fetchOrigin('@acme/set', '1.2.3')).integrity).toBe(sri(tarball));
  const wrong = await startRegistry({
    tarball,
    dist: ({ tarball: url }) => ({ tarball: url, shasum: sha1(Buffer.from('x')) }),
  });
  await expect(wrong.builder.fetchOrigin('@acme/set', '1.2.3')).rejects.toBeInstanceOf(IntegrityError);
});

test('an upstream that fails, or points elsewhere, is unavailable', async () => {
  const tarball = await packOrigin();
  const failing = await startRegistry({ tarball, status: 500 });
  await expect(failing.builder.fetchOrigin('@acme/set', '1.2.3')).rejects.toMatchObject({
    code: 'upstream_unavailable',
  });
  const elsewhere = await startRegistry({
    tarball,
    dist: (dist) => ({ ...dist, tarball: 'http://127.0.0.1:9/x.tgz' }),
  });
  await expect(elsewhere.builder.fetchOrigin('@acme/set', '1.2.3')).rejects.toMatchObject({
    code: 'upstream_unavailable',
  });
});

test('the sealed tarball differs from the origin in the patched lines and the version, and in nothing else', async () => {
  const result = await build(fix);
  if (result.kind !== 'built') throw new Error(result.reason);
  const files = await readTarball(result.artifact.bytes);
  expect(Object.fromEntries(files.map(({ path, bytes }) => [path, bytes.toString()]))).toEqual({
    'package.json': packageJson.replace('1.2.3', '1.2.3-sp1'),
    'lib/set.js': source.replace('{\n', "{\n  if (k === '__proto__') return o;\n"),
    'lib/esm/package.json': nested,
    'bin/cli.js': '#!/usr/bin/env node\n',
  });
  expect(files.filter(({ isExecutable }) => isExecutable).map(({ path }) => path)).toEqual(['bin/cli.js']);
  expect(result.artifact.bytes.equals((await sameBuild()).artifact.bytes)).toBe(true);
});

async function sameBuild() {
  const result = await build(fix);
  if (result.kind !== 'built') throw new Error(result.reason);
  return result;
}

test('the artifact’s digests and manifest describe the sealed bytes, and nothing of the origin’s publication stays', async () => {
  const { artifact } = await sameBuild();
  expect(artifact).toMatchObject({
    fileName: 'set-1.2.3-sp1.tgz',
    integrity: sri(artifact.bytes),
    shasum: sha1(artifact.bytes),
    sha256: createHash('sha256').update(artifact.bytes).digest('hex'),
  });
  expect(artifact.manifest).toEqual({
    name: '@acme/set',
    version: '1.2.3-sp1',
    main: 'lib/set.js',
    _id: '@acme/set@1.2.3-sp1',
    _hasShrinkwrap: false,
    dist: { integrity: artifact.integrity, shasum: artifact.shasum, fileCount: 4, unpackedSize: expect.any(Number) },
  });
});

test('what a patch changes in package.json is in the manifest too', async () => {
  const result = await build(`${fix}--- a/package.json
+++ b/package.json
@@ -1,5 +1,6 @@
 {
 \t"name": "@acme/set",
 \t"version": "1.2.3",
-\t"main": "lib/set.js"
+\t"dependencies": { "safe": "^1.0.0" },
+\t"exports": "./lib/set.js"
 }
`);
  expect(result).toMatchObject({
    kind: 'built',
    artifact: { manifest: { version: '1.2.3-sp1', dependencies: { safe: '^1.0.0' }, exports: './lib/set.js' } },
  });
  expect(result.kind === 'built' && 'main' in result.artifact.manifest).toBe(false);
});

test('a patch that is malformed, does not fit, or leaves code that does not parse is refused with the reason', async () => {
  expect(await build('no diff')).toMatchObject({
    kind: 'refused',
    reason: expect.stringContaining('0001-CVE-2024-0001.patch: line 1'),
  });
  expect(await build(fix.replace('o[k] = v', 'o[k] =  v'))).toMatchObject({
    kind: 'refused',
    reason: expect.stringContaining('lib/set.js: hunk 1'),
    report: [{ files: [{ path: 'lib/set.js', outcome: 'refused' }] }],
  });
  expect(await build(fix.replace('return o;\n   o[k]', 'return o;}}\n   o[k]'))).toMatchObject({
    kind: 'refused',
    reason: expect.stringContaining('lib/set.js: the patched file can no longer be parsed'),
  });
});
