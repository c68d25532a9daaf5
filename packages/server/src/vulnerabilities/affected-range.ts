import {
  compareVersions,
  type EcosystemId,
  InvalidVersionError,
  isVersion,
  normalizeName,
} from '@sealsmith/ecosystems';
import type { Advisory, AffectedEvent, AffectedPackage, AffectedRange } from './osv-record.ts';

/** Whether an advisory that still stands concerns this origin version of a package. Throws InvalidNameError, UnsupportedEcosystemError. */
export function advisoryAffects(advisory: Advisory, ecosystem: EcosystemId, name: string, version: string): boolean {
  if (advisory.withdrawn !== null) return false;
  const normalized = normalizeName(ecosystem, name);
  return advisory.affected.some(
    (affected) => affected.ecosystem === ecosystem && affected.name === normalized && isAffected(affected, version),
  );
}

/**
 * The evaluation of the OSV schema: affected is what `versions` lists or what lies inside a range. Takes the origin
 * version. A version that its ecosystem cannot read is affected only when it is listed as it is written. GIT ranges
 * are not evaluated, since their order is that of a commit graph. Throws UnsupportedEcosystemError.
 */
export function isAffected(affected: AffectedPackage, version: string): boolean {
  const { ecosystem } = affected;
  if (affected.versions.includes(version)) return true;
  if (!isVersion(ecosystem, version)) return false;
  const isInside = affected.ranges.some((range) => range.type !== 'GIT' && isInsideRange(ecosystem, range, version));
  return isInside || affected.versions.some((listed) => compare(ecosystem, listed, version) === 0);
}

function isInsideRange(ecosystem: EcosystemId, range: AffectedRange, version: string): boolean {
  const events = range.events.map((event) => readEvent(ecosystem, event, version));
  return isBelowLimit(events) && (isPossiblyIntroduced(events) || isIntroducedLast(ecosystem, events));
}

/**
 * An event seen from the version in question: `order` is how the event's own version compares to it, null when the
 * event's version cannot be read.
 */
interface SeenEvent {
  kind: 'introduced' | 'fixed' | 'last_affected' | 'limit';
  text: string;
  order: -1 | 0 | 1 | null;
}

function readEvent(ecosystem: EcosystemId, event: AffectedEvent, version: string): SeenEvent {
  const seenAs = (kind: SeenEvent['kind'], text: string) => ({ kind, text, order: compare(ecosystem, text, version) });
  if ('introduced' in event) {
    return event.introduced === '0'
      ? { kind: 'introduced', text: '0', order: -1 }
      : seenAs('introduced', event.introduced);
  }
  if ('fixed' in event) return seenAs('fixed', event.fixed);
  if ('last_affected' in event) return seenAs('last_affected', event.last_affected);
  return seenAs('limit', event.limit);
}

/** A version needs to be below one limit only. `*` is no limit, and neither is one that cannot be read. */
function isBelowLimit(events: readonly SeenEvent[]): boolean {
  const limits = events.filter(({ kind }) => kind === 'limit');
  return limits.length === 0 || limits.some(({ text, order }) => text.includes('*') || order === null || order === 1);
}

/**
 * When an `introduced` cannot be read, nobody knows where the range begins, and a vulnerable version must not pass for
 * a clean one: everything counts as affected that is not past each ending which the record writes after it. An ending
 * that cannot be read is never passed.
 */
function isPossiblyIntroduced(events: readonly SeenEvent[]): boolean {
  const unreadable = events.findLastIndex(({ kind, order }) => kind === 'introduced' && order === null);
  if (unreadable === -1) return false;
  const endings = events.slice(unreadable).filter(({ kind }) => kind === 'fixed' || kind === 'last_affected');
  return endings.length === 0 || !endings.every(hasHappened);
}

/**
 * Walking the sorted events, each that has happened by this version sets the state anew, so the highest of them decides;
 * among events of one version the later in the record does, which keeps `fixed 2, introduced 2` one stretch.
 */
function isIntroducedLast(ecosystem: EcosystemId, events: readonly SeenEvent[]): boolean {
  let last: SeenEvent | undefined;
  for (const event of events) {
    if (event.kind === 'limit' || !hasHappened(event)) continue;
    if (last === undefined || !isBefore(ecosystem, event, last)) last = event;
  }
  return last?.kind === 'introduced';
}

function hasHappened({ kind, order }: SeenEvent): boolean {
  return order === -1 || (order === 0 && kind !== 'last_affected');
}

function isBefore(ecosystem: EcosystemId, a: SeenEvent, b: SeenEvent): boolean {
  if (isBeginning(a) || isBeginning(b)) return isBeginning(a) && !isBeginning(b);
  return compareVersions(ecosystem, a.text, b.text) === -1;
}

/** `introduced: "0"` lies before every version, also before one that is spelt 0. */
function isBeginning({ kind, text }: SeenEvent): boolean {
  return kind === 'introduced' && text === '0';
}

function compare(ecosystem: EcosystemId, a: string, b: string): -1 | 0 | 1 | null {
  try {
    return compareVersions(ecosystem, a, b);
  } catch (error) {
    if (error instanceof InvalidVersionError) return null;
    throw error;
  }
}
