import type { EcosystemId } from './ecosystem-id.ts';

/** A text that is no version of its ecosystem, or that cannot be sealed; `message` is one sentence for the user. */
export class InvalidVersionError extends Error {
  readonly ecosystem: EcosystemId;
  readonly version: string;

  constructor(ecosystem: EcosystemId, version: string, reason: string) {
    super(`The ${ecosystem} version ${quote(version)} cannot be used: ${reason}.`);
    this.name = 'InvalidVersionError';
    this.ecosystem = ecosystem;
    this.version = version;
  }
}

/** A text that cannot be the name of a package of its ecosystem. */
export class InvalidNameError extends Error {
  readonly ecosystem: EcosystemId;
  readonly packageName: string;

  constructor(ecosystem: EcosystemId, packageName: string, reason: string) {
    super(`The ${ecosystem} package name ${quote(packageName)} cannot be used: ${reason}.`);
    this.name = 'InvalidNameError';
    this.ecosystem = ecosystem;
    this.packageName = packageName;
  }
}

/** A text that is no package URL, or one that names no package. */
export class InvalidPurlError extends Error {
  readonly purl: string;

  constructor(purl: string, reason: string, cause?: unknown) {
    super(`The package URL ${quote(purl)} cannot be read: ${reason}.`, { cause });
    this.name = 'InvalidPurlError';
    this.purl = purl;
  }
}

/** Something was asked of an ecosystem that does not support it; `ecosystem` may be a foreign name such as `gem`. */
export class UnsupportedEcosystemError extends Error {
  readonly ecosystem: string;
  readonly reason: string;

  constructor(ecosystem: string, reason: string) {
    super(reason);
    this.name = 'UnsupportedEcosystemError';
    this.ecosystem = ecosystem;
    this.reason = reason;
  }
}

interface ManifestErrorPlace {
  /** Where in the document, spelled like `packages["node_modules/a"].version`. */
  key?: string;
  /** Counted from 1. */
  line?: number;
  cause?: unknown;
}

/** A lockfile or manifest that cannot be read as a whole; there is never a partial result. */
export class ManifestError extends Error {
  readonly fileName: string;
  readonly key: string | null;
  readonly line: number | null;

  constructor(fileName: string, reason: string, { key, line, cause }: ManifestErrorPlace = {}) {
    const place = [line === undefined ? '' : `, line ${line}`, key === undefined ? '' : `, ${excerpt(key, 300)}`];
    super(`${excerpt(fileName, 100)}${place.join('')}: ${reason}.`, { cause });
    this.name = 'ManifestError';
    this.fileName = fileName;
    this.key = key ?? null;
    this.line = line ?? null;
  }
}

function quote(text: string): string {
  return JSON.stringify(excerpt(text, 100));
}

function excerpt(text: string, charactersMax: number): string {
  return text.length > charactersMax ? `${text.slice(0, charactersMax)}…` : text;
}
