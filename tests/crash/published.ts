import { createHash } from 'node:crypto';
import { readTarball } from '../../packages/server/src/builders/archive.ts';
import type { CrashPackage } from './crash-catalog.ts';

export interface PublishedVersion {
  packageName: string;
  originVersion: string;
  sealedVersion: string;
}

interface Packument {
  versions: Record<string, { version: string; dist: { tarball: string; integrity: string; shasum: string } }>;
}

/** Every sealed version that clients are shown. Throws when one of them cannot be had just as it is announced. */
export async function readPublished(
  url: string,
  token: string,
  packages: readonly CrashPackage[],
): Promise<PublishedVersion[]> {
  const get = async (address: string): Promise<Buffer> => {
    const response = await fetch(address, { headers: { authorization: `Bearer ${token}` } });
    if (!response.ok) throw new Error(`${address} answers ${response.status}: ${await response.text()}`);
    return Buffer.from(await response.arrayBuffer());
  };
  const published: PublishedVersion[] = [];
  for (const { name } of packages) {
    const packument: Packument = JSON.parse((await get(`${url}/artifacts/npm/${name}`)).toString());
    for (const [sealedVersion, { dist }] of Object.entries(packument.versions)) {
      const originVersion = /^(.+)-sp\d+$/.exec(sealedVersion)?.[1];
      if (originVersion === undefined) continue;
      await assertWhole(await get(dist.tarball), { name, sealedVersion, dist });
      published.push({ packageName: name, originVersion, sealedVersion });
    }
  }
  return published;
}

interface Announced {
  name: string;
  sealedVersion: string;
  dist: { integrity: string; shasum: string };
}

async function assertWhole(bytes: Buffer, { name, sealedVersion, dist }: Announced): Promise<void> {
  const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
  const shasum = createHash('sha1').update(bytes).digest('hex');
  const files = new Map((await readTarball(bytes)).map((file) => [file.path, file.bytes.toString()]));
  const manifest = JSON.parse(files.get('package.json') ?? '{}');
  const isWhole = integrity === dist.integrity && shasum === dist.shasum && manifest.version === sealedVersion;
  if (!isWhole || !files.get('index.js')?.includes('Object.hasOwn')) {
    throw new Error(`the tarball of ${name} ${sealedVersion} is not what the packument announces`);
  }
}
