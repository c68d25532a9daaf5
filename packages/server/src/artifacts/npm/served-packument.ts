import type { SealedPackage, SealedPackageContent } from '../sealed-package.ts';
import { type Manifest, manifestsOf, type Packument } from './packument.ts';
import type { PackumentForm } from './packument-form.ts';
import { tarballName } from './tarball-name.ts';

export type SealedVersion = SealedPackage & SealedPackageContent;

interface Sources {
  name: string;
  form: PackumentForm;
  /** null when upstream is not asked or does not have the package. */
  upstream: Packument | null;
  sealed: readonly SealedVersion[];
  /** Where this registry is, without a trailing slash. */
  registryUrl: string;
}

export interface ServedPackument {
  document: ServedDocument;
  /** Versions of upstream that are spelt like one of ours, in whose place ours stands. */
  displaced: string[];
}

export interface ServedDocument extends Record<string, unknown> {
  versions: Record<string, Record<string, unknown>>;
  'dist-tags': Record<string, string>;
}

/**
 * Upstream's document with the sealed versions beside the others. The tags stay upstream's: a seal reaches nobody who did
 * not ask for it. Digests and signatures of upstream's versions stay as they are; every tarball is to be had from here.
 */
export function servedPackument(sources: Sources): ServedPackument {
  const { name, form, upstream, sealed, registryUrl } = sources;
  const versions = new Map<string, Record<string, unknown>>();
  for (const [version, manifest] of upstream ? manifestsOf(upstream) : []) {
    const served = withTarball(manifest, tarballUrl(registryUrl, name, version));
    if (served) versions.set(version, served);
  }
  const displaced = sealed.map(({ sealedVersion }) => sealedVersion).filter((version) => versions.has(version));
  for (const entry of sealed) versions.set(entry.sealedVersion, sealedManifest(entry, registryUrl));
  const common = { name, 'dist-tags': upstream?.['dist-tags'] ?? {} };
  const document =
    form === 'full'
      ? { ...upstream, ...common, versions: Object.fromEntries(versions), time: timesOf(upstream, sealed) }
      : { ...common, modified: modifiedOn(upstream, sealed), versions: abbreviatedVersions(versions) };
  return { document, displaced };
}

/** A sealed version's entry as it is served. */
export function sealedManifest(sealed: SealedVersion, registryUrl: string): Record<string, unknown> {
  const { manifest, packageName, sealedVersion, fileName, integrity, shasum } = sealed;
  const dist = typeof manifest.dist === 'object' ? manifest.dist : null;
  const tarball = `${registryUrl}/${packageName}/-/${encodeURIComponent(fileName)}`;
  return { ...manifest, name: packageName, version: sealedVersion, dist: { ...dist, integrity, shasum, tarball } };
}

function tarballUrl(registryUrl: string, name: string, version: string): string | null {
  const file = tarballName(name, version);
  return file === null ? null : `${registryUrl}/${name}/-/${encodeURIComponent(file)}`;
}

/** null: a version with no file name under which it could be asked for. */
function withTarball(manifest: Manifest, tarball: string | null): Record<string, unknown> | null {
  return tarball === null ? null : { ...manifest, dist: { ...manifest.dist, tarball } };
}

function timesOf(upstream: Packument | null, sealed: readonly SealedVersion[]): Record<string, unknown> {
  const published = sealed.map(({ sealedVersion, publishedOn }) => [sealedVersion, publishedOn] as const);
  return { ...upstream?.time, ...Object.fromEntries(published), modified: modifiedOn(upstream, sealed) };
}

/** Clients that look for young versions skip a document that was not modified lately. */
function modifiedOn(upstream: Packument | null, sealed: readonly SealedVersion[]): string | undefined {
  const modified = upstream?.modified ?? upstream?.time?.modified;
  const times = sealed.map(({ publishedOn }) => publishedOn);
  if (typeof modified === 'string') times.push(modified);
  return times.sort().at(-1);
}

/** The fields of the abbreviated form; a registry that does not know the form sends them all. */
const abbreviatedFields = [
  'name',
  'version',
  'deprecated',
  'dependencies',
  'optionalDependencies',
  'devDependencies',
  'bundleDependencies',
  'bundledDependencies',
  'peerDependencies',
  'peerDependenciesMeta',
  'acceptDependencies',
  'bin',
  'directories',
  'dist',
  'engines',
  'cpu',
  'os',
  'libc',
  'funding',
  'hasInstallScript',
  '_hasShrinkwrap',
];

function abbreviatedVersions(versions: ReadonlyMap<string, Record<string, unknown>>) {
  return Object.fromEntries([...versions].map(([version, manifest]) => [version, abbreviated(manifest)]));
}

function abbreviated(manifest: Record<string, unknown>): Record<string, unknown> {
  const kept = abbreviatedFields.filter((field) => manifest[field] !== undefined);
  const fields = Object.fromEntries(kept.map((field) => [field, manifest[field]]));
  return runsOnInstall(manifest.scripts) ? { ...fields, hasInstallScript: true } : fields;
}

function runsOnInstall(scripts: unknown): boolean {
  const named = typeof scripts === 'object' && scripts !== null ? scripts : {};
  return ['preinstall', 'install', 'postinstall'].some((script) => Object.hasOwn(named, script));
}
