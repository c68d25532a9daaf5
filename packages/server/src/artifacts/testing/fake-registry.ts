import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { writeTarball } from '../../builders/archive.ts';

export interface FakeVersion {
  /** More of the manifest. */
  manifest?: Record<string, unknown>;
  files?: Record<string, string>;
}

/** A public registry under our control: it counts what it is asked and can be made slow, silent or untruthful. */
export interface FakeRegistry extends AsyncDisposable {
  url: URL;
  /** Path of every request that came in, in order. */
  requests: string[];
  /** Answers in place of the registry, or gives false to let it answer. */
  intercept: (request: IncomingMessage, response: ServerResponse) => boolean | Promise<boolean>;
  publish(name: string, versions: Record<string, FakeVersion>): Promise<void>;
  /** Changes the packument that is sent. */
  edit(name: string, change: (packument: FakePackument) => void): void;
  packument(name: string): FakePackument;
  tarball(name: string, version: string): Buffer;
}

export interface FakePackument {
  name: string;
  'dist-tags': Record<string, string>;
  versions: Record<string, Record<string, unknown> & { dist: Record<string, unknown> }>;
  time: Record<string, string>;
  [field: string]: unknown;
}

const pathPrefix = '/mirror/npm';

export async function startFakeRegistry(): Promise<FakeRegistry> {
  const packuments = new Map<string, FakePackument>();
  const tarballs = new Map<string, Buffer>();
  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}${pathPrefix}/`);

  const registry: FakeRegistry = {
    url,
    requests: [],
    intercept: () => false,
    publish: async (name, versions) => {
      const packument = emptyPackument(name);
      for (const [version, { manifest = {}, files = {} }] of Object.entries(versions)) {
        const bytes = await packedVersion({ ...manifest, name, version }, files);
        const tarballPath = `${name}/-/${name.split('/').at(-1)}-${version}.tgz`;
        tarballs.set(tarballPath, bytes);
        const dist = {
          tarball: new URL(tarballPath, url).href,
          ...digestsOf(bytes),
          signatures: [{ keyid: 'k', sig: 's' }],
        };
        packument.versions[version] = { ...manifest, name, version, _id: `${name}@${version}`, dist };
        packument.time[version] = '2020-02-02T00:00:00.000Z';
        packument['dist-tags'].latest = version;
      }
      packuments.set(name, packument);
    },
    edit: (name, change) => change(registry.packument(name)),
    packument: (name) => {
      const packument = packuments.get(name);
      if (!packument) throw new Error(`the fake registry has no ${name}`);
      return packument;
    },
    tarball: (name, version) => {
      const bytes = tarballs.get(`${name}/-/${name.split('/').at(-1)}-${version}.tgz`);
      if (!bytes) throw new Error(`the fake registry has no ${name} ${version}`);
      return bytes;
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };

  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const path = request.url?.slice(pathPrefix.length + 1) ?? '';
    registry.requests.push(path);
    if (await registry.intercept(request, response)) return;
    const tarball = tarballs.get(path);
    const packument = packuments.get(decodeURIComponent(path));
    if (tarball) response.end(tarball);
    else if (packument) sendPackument(request, response, packument);
    else response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":"Not found"}');
  };
  return registry;
}

function emptyPackument(name: string): FakePackument {
  const created = '2020-01-01T00:00:00.000Z';
  return { name, 'dist-tags': {}, versions: {}, time: { created, modified: created }, readme: `# ${name}` };
}

function packedVersion(manifest: Record<string, unknown>, files: Record<string, string>): Promise<Buffer> {
  const all = { 'package.json': JSON.stringify(manifest, null, 2), ...files };
  const packed = Object.entries(all).map(([path, text]) => ({ path, bytes: Buffer.from(text), isExecutable: false }));
  return writeTarball(packed);
}

export function digestsOf(bytes: Buffer): { integrity: string; shasum: string } {
  const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
  return { integrity, shasum: createHash('sha1').update(bytes).digest('hex') };
}

function sendPackument(request: IncomingMessage, response: ServerResponse, packument: FakePackument): void {
  const body = JSON.stringify(packument);
  const etag = `"${createHash('sha256').update(body).digest('hex')}"`;
  if (request.headers['if-none-match'] === etag) response.writeHead(304).end();
  else response.writeHead(200, { 'content-type': 'application/json', etag }).end(body);
}
