import { packagesPerScanMax, type Scan, type ScanResult, scannedPackageSchema } from '@sealsmith/contract';
import {
  type EcosystemId,
  ecosystemFromWire,
  ecosystems,
  InvalidNameError,
  InvalidVersionError,
  ManifestError,
  normalizeName,
  parseSealedVersion,
  parseVersion,
  readParsedPackageLock,
} from '@sealsmith/ecosystems';
import type { SealedPackage } from '../artifacts/sealed-package.ts';
import { AppError } from '../platform/app-error.ts';
import { parse } from '../platform/http/input.ts';
import type { Component } from './component-store.ts';

/** A package as a scan names it. */
export interface ScannedPackage {
  ecosystem: EcosystemId;
  /** Normalised. */
  packageName: string;
  /** As reported: an origin or a sealed version. */
  packageVersion: string;
  /** Each Subresource Integrity digest that is stated for its artifact. */
  digests: string[];
}

export interface ScannedContent {
  format: Scan['format'];
  /** The source of a scan that does not name one. */
  defaultSource: string;
  packages: ScannedPackage[];
  problems: ScanResult['problems'];
}

const lockFileName = 'package-lock.json';

/**
 * Reads what a scan sends: a list of packages, or a parsed package-lock.json. A bad item of a list is a problem and the
 * others count; a lockfile counts whole or not at all.
 * @throws AppError `invalid_manifest`
 */
export function readScan(body: unknown): ScannedContent {
  if (isObject(body) && Object.hasOwn(body, 'lockfileVersion')) return readLock(body);
  const list = isObject(body) ? body.packages : body;
  if (Array.isArray(list)) return readList(list);
  throw new AppError(
    'invalid_manifest',
    'The body must be a list of packages ({"packages": [{"ecosystem", "package_name", "package_version"}]}) or a package-lock.json with a lockfileVersion from 1 to 3.',
  );
}

/**
 * What the packages are once sealed versions are known by their spelling or by their bytes: an artifact counts as the
 * sealed version that it is, whatever version it is reported under. Each component once.
 */
export function toComponents(
  packages: readonly ScannedPackage[],
  sealedByIntegrity: ReadonlyMap<string, SealedPackage>,
): Component[] {
  const components = new Map<string, Component>();
  for (const scanned of packages) {
    const digest = scanned.digests.find((candidate) => sealedByIntegrity.has(candidate));
    const sealed = digest === undefined ? undefined : sealedByIntegrity.get(digest);
    const { ecosystem, packageName, originVersion, iteration } = sealed ?? bySpelling(scanned);
    const component = { ecosystem, packageName, originVersion, iteration };
    components.set(JSON.stringify(Object.values(component)), component);
  }
  return [...components.values()];
}

/** Bytes that are none of ours make no seal, whatever they are called: they count as the origin, which nothing has sealed. */
function bySpelling({ ecosystem, packageName, packageVersion, digests }: ScannedPackage): Component {
  const sealed = parseSealedVersion(ecosystem, packageVersion);
  const { originVersion, iteration } = sealed ?? { originVersion: packageVersion, iteration: 0 };
  const isForeign = digests.some((digest) => digest.startsWith('sha512-'));
  return { ecosystem, packageName, originVersion, iteration: isForeign ? 0 : iteration };
}

/** Packages from git, files or foreign tarballs are other code under the same name: no advisory speaks of them. */
function readLock(body: object): ScannedContent {
  const fromRegistry = lockedPackages(body).filter(({ source }) => source === 'registry');
  refuseTooMany(fromRegistry.length);
  const packages = fromRegistry.map(({ name, version, integrity }) => ({
    ecosystem: 'npm' as const,
    packageName: name,
    packageVersion: version,
    digests: digestsOf(integrity),
  }));
  return { format: 'package_lock', defaultSource: lockFileName, packages, problems: [] };
}

function lockedPackages(body: object) {
  try {
    return readParsedPackageLock(body, lockFileName).packages;
  } catch (error) {
    if (!(error instanceof ManifestError)) throw error;
    throw new AppError('invalid_manifest', error.message, { cause: error });
  }
}

function readList(list: readonly unknown[]): ScannedContent {
  refuseTooMany(list.length);
  const packages: ScannedPackage[] = [];
  const problems: ScanResult['problems'] = [];
  const withoutOrder = new Set<EcosystemId>();
  for (const [index, item] of list.entries()) {
    const read = readItem(item);
    if ('problem' in read) {
      problems.push({ index, message: read.problem });
      continue;
    }
    packages.push(read);
    const note = withoutOrder.has(read.ecosystem) ? null : noteOnOrder(read.ecosystem);
    if (note === null) continue;
    withoutOrder.add(read.ecosystem);
    problems.push({ index, message: note });
  }
  return { format: 'package_list', defaultSource: 'packages', packages, problems };
}

function readItem(item: unknown): ScannedPackage | { problem: string } {
  try {
    const { ecosystem: wireName, package_name, package_version, integrity } = parse(scannedPackageSchema, item, 'body');
    const ecosystem = ecosystemFromWire(wireName);
    if (ecosystem === null) throw new TypeError('the contract lets only known ecosystems pass');
    if (ecosystems[ecosystem].versions.supported) parseVersion(ecosystem, package_version);
    return {
      ecosystem,
      packageName: normalizeName(ecosystem, package_name),
      packageVersion: package_version,
      digests: digestsOf(integrity ?? null),
    };
  } catch (error) {
    if (error instanceof AppError) return { problem: error.detail };
    if (error instanceof InvalidNameError || error instanceof InvalidVersionError) return { problem: error.message };
    throw error;
  }
}

/** Said once for each ecosystem, because silence would pass for "nothing is wrong with these". */
function noteOnOrder(ecosystem: EcosystemId): string | null {
  const { versions, wireName } = ecosystems[ecosystem];
  if (versions.supported) return null;
  return `This and every other ${wireName} package is recorded, but only advisories that list its version are found: ${versions.reason}`;
}

function digestsOf(integrity: string | null): string[] {
  // An option may follow each digest after a question mark.
  return (integrity ?? '')
    .split(/\s+/)
    .flatMap((entry) => entry.split('?', 1))
    .filter((entry) => /^[\x21-\x7e]+$/.test(entry));
}

function refuseTooMany(count: number): void {
  if (count <= packagesPerScanMax) return;
  throw new AppError(
    'invalid_manifest',
    `The scan has ${count} packages; at most ${packagesPerScanMax} are read at once.`,
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
