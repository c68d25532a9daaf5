import { PackageURL } from 'packageurl-js';
import type { PurlParts } from './ecosystem.ts';
import { type EcosystemId, ecosystemIds } from './ecosystem-id.ts';
import { InvalidNameError, InvalidPurlError, UnsupportedEcosystemError } from './errors.ts';
import { ecosystems } from './registry.ts';

export interface PurlPackage {
  readonly ecosystem: EcosystemId;
  readonly name: string;
  /** Null when the package URL speaks of every version. */
  readonly version: string | null;
}

const purlCharactersMax = 4096;

/** The canonical package URL. Throws InvalidNameError. */
export function purlOf({ ecosystem, name, version }: PurlPackage): string {
  const { purlType, purlNaming, normalizeName } = ecosystems[ecosystem];
  const parts = purlNaming.toParts(normalizeName(name), version);
  // Written from the encoded parts: the library's constructor lower-cases npm names, and `JSONStream` is not `jsonstream`.
  const { namespace, name: nameOnly, version: versionPart } = PackageURL.Component;
  return [
    `pkg:${purlType}/`,
    parts.namespace === null ? '' : `${namespace.encode(parts.namespace)}/`,
    nameOnly.encode(parts.name),
    parts.version === null ? '' : `@${versionPart.encode(parts.version)}`,
    parts.epoch === null ? '' : `?epoch=${encodeURIComponent(parts.epoch)}`,
  ].join('');
}

/**
 * Reads a package URL; qualifiers (other than RPM's epoch) and subpath do not tell packages apart here and are left out.
 * Throws InvalidPurlError, or UnsupportedEcosystemError for a type that is none of ours.
 */
export function fromPurl(text: string): PurlPackage {
  if (text.length > purlCharactersMax) throw new InvalidPurlError(text, `it has over ${purlCharactersMax} characters`);
  const { type, parts } = splitPurl(text);
  const ecosystem = ecosystemIds.find((id) => ecosystems[id].purlType === type);
  if (ecosystem === undefined) {
    throw new UnsupportedEcosystemError(type, `Packages of the type "${type.slice(0, 50)}" are not supported.`);
  }
  const { name, version } = ecosystems[ecosystem].purlNaming.fromParts(parts);
  try {
    return { ecosystem, name: ecosystems[ecosystem].normalizeName(name), version };
  } catch (error) {
    if (error instanceof InvalidNameError) throw new InvalidPurlError(text, 'its name is not valid', error);
    throw error;
  }
}

function splitPurl(text: string): { type: string; parts: PurlParts } {
  const [type, namespace, name, version, qualifiers] = parseString(text);
  if (!type) throw new InvalidPurlError(text, 'it has no type');
  if (!name) throw new InvalidPurlError(text, 'it has no name');
  const epoch = new Map(qualifiers ?? []).get('epoch') ?? null;
  const parts = { namespace: namespace || null, name, version: version || null, epoch };
  return { type: type.toLowerCase(), parts };
}

type RawPurl = readonly [
  type: string | undefined,
  namespace: string | undefined,
  name: string | undefined,
  version: string | undefined,
  qualifiers: Iterable<readonly [string, string]> | undefined,
  subpath: string | undefined,
];

function parseString(text: string): RawPurl {
  try {
    // The library declares the qualifiers as an object, and returns URLSearchParams.
    return PackageURL.parseString(text) as unknown as RawPurl;
  } catch (error) {
    throw new InvalidPurlError(text, 'it does not have the form pkg:type/name@version', error);
  }
}
