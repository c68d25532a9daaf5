import type { Severity } from '@sealsmith/contract';
import { type EcosystemId, ecosystemFromOsv, InvalidNameError, normalizeName } from '@sealsmith/ecosystems';
import { identifierKey } from './identifiers.ts';
import { affectedBodySchema, affectedHeadSchema, InvalidRecordError, parseAt, recordSchema } from './osv-schema.ts';
import { rate, type StatedSeverity } from './severity.ts';

/** What is known about one vulnerability, from one OSV record. Times are ISO 8601, UTC, milliseconds. */
export interface Advisory {
  id: string;
  modified: string;
  published: string | null;
  withdrawn: string | null;
  /** Other ids of the same vulnerability, without `id` and without repeats. */
  aliases: string[];
  related: string[];
  summary: string;
  details: string;
  severity: Severity;
  cvssScore: number | null;
  cvssVector: string | null;
  affected: AffectedPackage[];
  /** Ecosystem of each `affected` entry that was left out because we do not know it; `GIT` when it names no package. */
  skippedEcosystems: string[];
  references: { type: string; url: string }[];
}

export interface AffectedPackage {
  ecosystem: EcosystemId;
  /** What follows the colon in `Debian:12`; null when nothing does. */
  ecosystemRelease: string | null;
  /** As the ecosystem normalises names. */
  name: string;
  versions: string[];
  ranges: AffectedRange[];
  /** Null when the entry states none and the advisory's own holds. */
  severity: Severity | null;
}

export interface AffectedRange {
  type: 'SEMVER' | 'ECOSYSTEM' | 'GIT';
  repo: string | null;
  events: AffectedEvent[];
}

export type AffectedEvent = { introduced: string } | { fixed: string } | { last_affected: string } | { limit: string };

/**
 * Reads an OSV record (schema 1.7). Unknown fields are ignored and entries of foreign ecosystems are left out, whatever
 * they hold; what we use is held to the schema. Throws InvalidRecordError.
 */
export function parseOsvRecord(value: unknown): Advisory {
  const record = parseAt(recordSchema, value, []);
  const skippedEcosystems: string[] = [];
  const affected: AffectedPackage[] = [];
  const statedByPackages: StatedSeverity[] = [];
  for (const [index, entry] of record.affected.entries()) {
    const parsed = parseAffected(entry, ['affected', index]);
    if ('skipped' in parsed) skippedEcosystems.push(parsed.skipped);
    else affected.push(parsed.affected);
    if ('stated' in parsed) statedByPackages.push(...parsed.stated);
  }
  return {
    id: record.id,
    modified: record.modified,
    published: record.published ?? null,
    withdrawn: record.withdrawn ?? null,
    aliases: distinct(record.aliases, record.id),
    related: distinct(record.related, record.id),
    summary: record.summary ?? '',
    details: record.details ?? '',
    ...rate([...record.severity, ...statedByPackages], severityWords(record.database_specific)),
    affected,
    skippedEcosystems,
    references: record.references,
  };
}

type ParsedAffected = { skipped: string } | { affected: AffectedPackage; stated: StatedSeverity[] };

function parseAffected(entry: unknown, path: readonly PropertyKey[]): ParsedAffected {
  const { package: subject } = parseAt(affectedHeadSchema, entry, path);
  if (subject === undefined || subject === null) return { skipped: 'GIT' };
  const ecosystem = ecosystemFromOsv(subject.ecosystem);
  if (ecosystem === null) return { skipped: subject.ecosystem };
  const body = parseAt(affectedBodySchema, entry, path);
  return {
    affected: {
      ecosystem,
      ecosystemRelease: releaseOf(subject.ecosystem),
      name: normalizedName(ecosystem, subject.name, path),
      versions: body.versions,
      ranges: body.ranges.map(({ type, repo, events }) => ({ type, repo: repo ?? null, events: events.map(toEvent) })),
      severity: body.severity.length === 0 ? null : rate(body.severity).severity,
    },
    stated: body.severity,
  };
}

function releaseOf(osvEcosystem: string): string | null {
  const colon = osvEcosystem.indexOf(':');
  return colon === -1 ? null : osvEcosystem.slice(colon + 1);
}

function normalizedName(ecosystem: EcosystemId, name: string, path: readonly PropertyKey[]): string {
  try {
    return normalizeName(ecosystem, name);
  } catch (error) {
    if (!(error instanceof InvalidNameError)) throw error;
    throw new InvalidRecordError([...path, 'package', 'name'], `is no ${ecosystem} package name`, error);
  }
}

/** Drops the undefined keys; the schema has made sure that exactly one kind is there. */
function toEvent(
  event: { [Kind in 'introduced' | 'fixed' | 'last_affected' | 'limit']?: string | undefined },
): AffectedEvent {
  if (event.introduced !== undefined) return { introduced: event.introduced };
  if (event.fixed !== undefined) return { fixed: event.fixed };
  if (event.last_affected !== undefined) return { last_affected: event.last_affected };
  return { limit: event.limit ?? '*' };
}

/** Without repeats and without the record's own id, however they are capitalised. */
function distinct(ids: readonly string[], own: string): string[] {
  const seen = new Set([identifierKey(own)]);
  return ids.filter((id) => {
    const key = identifierKey(id);
    return !seen.has(key) && seen.add(key);
  });
}

/** `database_specific` belongs to each database; of all of them, only the common `severity` word is read. */
function severityWords(databaseSpecific: unknown): string[] {
  if (typeof databaseSpecific !== 'object' || databaseSpecific === null || !('severity' in databaseSpecific)) return [];
  return typeof databaseSpecific.severity === 'string' ? [databaseSpecific.severity] : [];
}
