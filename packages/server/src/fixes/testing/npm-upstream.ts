import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { writeTarball } from '../../builders/archive.ts';
import { createBuilders } from '../../builders/registry.ts';
import { createOutboundFetch } from '../../platform/outbound-fetch.ts';

/** A registry on the loopback interface that publishes one version, and the builders that fetch from it. */
export async function startNpmUpstream(files: Record<string, string>) {
  const { name, version } = JSON.parse(files['package.json'] ?? '{}');
  const tarball = await writeTarball(
    Object.entries(files).map(([path, text]) => ({ path, bytes: Buffer.from(text), isExecutable: false })),
  );
  let isDown = false;
  let isTampered = false;
  const server = createServer((request, response) => {
    const origin = `http://${request.headers.host}`;
    const answers: Record<string, () => Buffer | string> = {
      [`/${name}/${version}`]: () => JSON.stringify(manifestOf({ name, version, origin, tarball })),
      [`/${name}/-/${name}-${version}.tgz`]: () => (isTampered ? Buffer.concat([tarball, Buffer.from('x')]) : tarball),
    };
    const answer = answers[request.url ?? ''];
    response.statusCode = isDown ? 503 : answer ? 200 : 404;
    response.end(isDown ? '' : (answer?.() ?? '{}'));
  });
  const origin = await listen(server);
  const outbound = createOutboundFetch({
    allowedOrigins: [origin],
    userAgent: 'sealsmith-test',
    timeoutMs: { connect: 5_000, headers: 5_000, bodyIdle: 5_000, total: 20_000 },
    sleep: async () => {},
  });
  return {
    builders: createBuilders({ npm: { outbound, upstreamUrl: new URL(origin) } }),
    goDown: () => {
      isDown = true;
    },
    comeBack: () => {
      isDown = false;
    },
    tamper: () => {
      isTampered = true;
    },
    [Symbol.asyncDispose]: async () => {
      await outbound[Symbol.asyncDispose]();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return `http://127.0.0.1:${address.port}`;
}

interface Published {
  name: string;
  version: string;
  origin: string;
  tarball: Buffer;
}

function manifestOf({ name, version, origin, tarball }: Published) {
  const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`;
  return { name, version, dist: { tarball: `${origin}/${name}/-/${name}-${version}.tgz`, integrity } };
}
