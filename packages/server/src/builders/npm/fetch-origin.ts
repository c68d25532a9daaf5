import { InvalidNameError, isVersion, normalizeName } from '@sealsmith/ecosystems';
import { z } from 'zod';
import { AppError } from '../../platform/app-error.ts';
import { OutboundError } from '../../platform/outbound-error.ts';
import type { OutboundFetch, OutboundResponse } from '../../platform/outbound-fetch.ts';
import type { OriginArtifact } from '../builder.ts';
import { sha512Of, verifyPublishedDigest } from './published-digest.ts';

interface Upstream {
  outbound: OutboundFetch;
  upstreamUrl: URL;
}

interface PackageVersion {
  name: string;
  version: string;
}

const manifestBytesMax = 16 * 1024 * 1024;
const packumentBytesMax = 100 * 1024 * 1024;
const tarballBytesMax = 512 * 1024 * 1024;

const manifestSchema = z.looseObject({
  name: z.string(),
  version: z.string(),
  dist: z.looseObject({ tarball: z.url(), integrity: z.string().nullish(), shasum: z.string().nullish() }),
});

type NpmManifest = z.infer<typeof manifestSchema>;

/** Fetches a version's registry manifest and tarball; the bytes are checked against the published digest before they are used. */
export async function fetchNpmOrigin(upstream: Upstream, wanted: PackageVersion): Promise<OriginArtifact> {
  return asking(wanted, async () => {
    const manifest = await fetchManifest(upstream, wanted);
    const url = new URL(manifest.dist.tarball);
    const response = await upstream.outbound.fetch(url, { bodyBytesMax: tarballBytesMax });
    await assertAnswered(response, wanted);
    const bytes = await response.bytes();
    verifyPublishedDigest(bytes, manifest.dist, nameOf(wanted));
    return { fileName: fileNameOf(url), url: url.href, integrity: sha512Of(bytes), bytes, manifest };
  });
}

/** Whether the registry has the version: its manifest is asked for, not its tarball. */
export async function hasNpmOrigin(upstream: Upstream, wanted: PackageVersion): Promise<boolean> {
  try {
    await asking(wanted, () => fetchManifest(upstream, wanted));
    return true;
  } catch (error) {
    if (error instanceof AppError && error.code === 'package_version_not_found') return false;
    throw error;
  }
}

async function asking<Answer>(wanted: PackageVersion, ask: () => Promise<Answer>): Promise<Answer> {
  assertRequestable(wanted);
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    throw new AppError('upstream_unavailable', explain(error, wanted), { cause: error });
  }
}

function explain({ kind }: OutboundError, wanted: PackageVersion): string {
  if (kind !== 'forbidden_target')
    return `The upstream registry gave no usable answer for ${nameOf(wanted)} (${kind}).`;
  return `The upstream registry keeps ${nameOf(wanted)} at an address that SEALSMITH_UPSTREAM_NPM_TARBALL_ORIGINS does not list.`;
}

/** Only a valid name and version get into an address. */
function assertRequestable(wanted: PackageVersion): void {
  try {
    normalizeName('npm', wanted.name);
  } catch (error) {
    if (error instanceof InvalidNameError) throw notFound(wanted);
    throw error;
  }
  if (!isVersion('npm', wanted.version)) throw notFound(wanted);
}

async function fetchManifest(upstream: Upstream, wanted: PackageVersion): Promise<NpmManifest> {
  const own = await fetchJson(upstream, {
    wanted,
    path: `${encodeName(wanted.name)}/${encodeURIComponent(wanted.version)}`,
  });
  // Not every registry serves single versions; the packument decides.
  const manifest = own ?? (await fetchFromPackument(upstream, wanted));
  if (manifest === undefined) throw notFound(wanted);
  const parsed = manifestSchema.safeParse(manifest);
  const isWanted = parsed.success && parsed.data.name === wanted.name && parsed.data.version === wanted.version;
  if (!isWanted) throw unavailable(wanted, 'sent a manifest that does not describe it', parsed.error);
  return parsed.data;
}

const packumentSchema = z.looseObject({ versions: z.record(z.string(), z.unknown()) });

async function fetchFromPackument(upstream: Upstream, wanted: PackageVersion): Promise<unknown> {
  const packument = await fetchJson(upstream, {
    wanted,
    path: encodeName(wanted.name),
    bodyBytesMax: packumentBytesMax,
  });
  if (packument === null) return undefined;
  const parsed = packumentSchema.safeParse(packument);
  if (!parsed.success) throw unavailable(wanted, 'sent a package document that cannot be read', parsed.error);
  return Object.hasOwn(parsed.data.versions, wanted.version) ? parsed.data.versions[wanted.version] : undefined;
}

interface JsonRequest {
  wanted: PackageVersion;
  path: string;
  bodyBytesMax?: number;
}

/** Null when upstream has nothing there. */
async function fetchJson(
  { outbound, upstreamUrl }: Upstream,
  { wanted, path, bodyBytesMax = manifestBytesMax }: JsonRequest,
) {
  const url = new URL(upstreamUrl);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/${path}`;
  const response = await outbound.fetch(url, { headers: { accept: 'application/json' }, bodyBytesMax });
  if (isAbsent(response.status)) {
    await response.discard();
    return null;
  }
  await assertAnswered(response, wanted);
  const bytes = await response.bytes();
  try {
    return JSON.parse(bytes.toString('utf8')) as unknown;
  } catch (error) {
    throw unavailable(wanted, 'sent a document that is not JSON', error);
  }
}

/** `405` is what registries without single versions may say; `451` is a version taken down by law. */
function isAbsent(status: number): boolean {
  return [404, 405, 410, 451].includes(status);
}

async function assertAnswered(response: OutboundResponse, wanted: PackageVersion): Promise<void> {
  if (response.status === 200) return;
  await response.discard();
  if (isAbsent(response.status)) throw notFound(wanted);
  throw unavailable(wanted, `answered with status ${response.status}`);
}

/** `@scope/name` is one path segment, with the slash encoded and the `@` as it is. */
function encodeName(name: string): string {
  return encodeURIComponent(name).replace('%40', '@').replace('%2F', '%2f');
}

function fileNameOf(url: URL): string {
  return url.pathname.split('/').at(-1) ?? '';
}

function nameOf({ name, version }: PackageVersion): string {
  return `${name} ${version}`;
}

function notFound(wanted: PackageVersion): AppError {
  return new AppError('package_version_not_found', `The upstream registry does not have ${nameOf(wanted)}.`);
}

function unavailable(wanted: PackageVersion, problem: string, cause?: unknown): AppError {
  return new AppError('upstream_unavailable', `The upstream registry was asked for ${nameOf(wanted)} and ${problem}.`, {
    cause,
  });
}
