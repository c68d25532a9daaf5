import { z } from 'zod';
import { AppError } from '../platform/app-error.ts';
import { normalizeIdentifier } from './identifiers.ts';

/** A record that cannot be taken over; the detail is one sentence that begins with the key at fault. */
export class InvalidRecordError extends AppError {
  constructor(path: readonly PropertyKey[], message: string, cause?: unknown) {
    const name = keyOf(path);
    super('invalid_parameter', `${name}: ${message}`, { cause, problems: [{ location: 'body', name, message }] });
    this.name = 'InvalidRecordError';
  }
}

/** Parses `value` with a schema of this file; `path` is where it stands in the record. Throws InvalidRecordError for the first fault. */
export function parseAt<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  path: readonly PropertyKey[],
): z.output<Schema> {
  const result = schema.safeParse(value, { error: describeIssue });
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new InvalidRecordError([...path, ...(issue?.path ?? [])], issue?.message ?? 'is not valid', result.error);
}

const identifierSchema = text(200)
  .regex(/^[A-Za-z0-9][A-Za-z0-9._:-]*$/, 'must consist of letters, digits, ".", "_", ":" and "-"')
  .transform(normalizeIdentifier);

const timestampSchema = z.string().transform((written, context) => {
  const normalized = toUtcMilliseconds(written);
  if (normalized !== null) return normalized;
  context.addIssue('must be a time like 2026-11-21T13:45:07Z');
  return z.NEVER;
});

const severityListSchema = listOf(z.object({ type: text(100), score: text(500) }), 100);

/** What a record says of itself; its `affected` entries are read one by one, because most belong to foreign ecosystems. */
export const recordSchema = z.object({
  id: identifierSchema,
  modified: timestampSchema,
  published: timestampSchema.nullish(),
  withdrawn: timestampSchema.nullish(),
  aliases: listOf(identifierSchema, 1_000),
  related: listOf(identifierSchema, 10_000),
  summary: text(10_000, { mayBeEmpty: true }).nullish(),
  details: text(1_000_000, { mayBeEmpty: true }).nullish(),
  severity: severityListSchema,
  affected: listOf(z.unknown(), 50_000),
  references: listOf(z.object({ type: text(100), url: text(10_000) }), 2_000),
  database_specific: z.unknown().optional(),
});

/** Enough of an `affected` entry to decide whether it concerns us. */
export const affectedHeadSchema = z.object({
  package: z.object({ ecosystem: text(300), name: text(512) }).nullish(),
});

const eventSchema = z.object({
  introduced: text(512).optional(),
  fixed: text(512).optional(),
  last_affected: text(512).optional(),
  limit: text(512).optional(),
});

export const affectedBodySchema = z.object({
  versions: listOf(text(512), 100_000),
  severity: severityListSchema,
  ranges: listOf(
    z.object({
      type: z.enum(['SEMVER', 'ECOSYSTEM', 'GIT']),
      repo: text(10_000).nullish(),
      events: z
        .array(eventSchema)
        .max(10_000)
        .refine(
          (events) => events.every(hasOneKind),
          'must each hold exactly one of introduced, fixed, last_affected, limit',
        )
        .refine((events) => events.some((event) => event.introduced !== undefined), 'must hold an introduced event'),
    }),
    1_000,
  ),
});

/** NUL is refused everywhere, because PostgreSQL cannot store it: one such record would fail the import of all others. */
function text(lengthMax: number, { mayBeEmpty = false } = {}) {
  return z
    .string()
    .min(mayBeEmpty ? 0 : 1)
    .max(lengthMax)
    .refine((value) => !value.includes('\0'), 'must not contain a NUL character');
}

/** OSV lets a list be null or left out; both mean that it is empty. */
function listOf<Item extends z.ZodType>(item: Item, countMax: number) {
  return z
    .array(item)
    .max(countMax)
    .nullish()
    .transform((items) => items ?? []);
}

function hasOneKind(event: z.output<typeof eventSchema>): boolean {
  return Object.values(event).filter((version) => version !== undefined).length === 1;
}

const rfc3339 = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/i;

/** An RFC 3339 time as UTC with milliseconds (finer digits are cut off); null when it is none or does not exist (30 February). */
function toUtcMilliseconds(written: string): string | null {
  const [, date, time] = rfc3339.exec(written) ?? [];
  const wallClock = Date.parse(`${date}T${time}Z`);
  const instant = Date.parse(written.toUpperCase());
  if (Number.isNaN(wallClock) || Number.isNaN(instant)) return null;
  return new Date(wallClock).toISOString().startsWith(`${date}T${time}`) ? new Date(instant).toISOString() : null;
}

/** zod's own messages speak of inputs and types; these complete a sentence that begins with the key. */
function describeIssue(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is missing' : `must be ${typeNames[issue.expected] ?? issue.expected}`;
    case 'too_big':
      return `must have at most ${issue.maximum} ${issue.origin === 'array' ? 'entries' : 'characters'}`;
    case 'too_small':
      return 'must not be empty';
    case 'invalid_value':
      return `must be one of ${issue.values.map(String).join(', ')}`;
    default:
      return 'is not valid';
  }
}

const typeNames: Readonly<Partial<Record<string, string>>> = {
  string: 'a string',
  object: 'an object',
  array: 'a list',
};

function keyOf(path: readonly PropertyKey[]): string {
  if (path.length === 0) return 'record';
  return path.reduce<string>((key, part) => {
    if (typeof part === 'number') return `${key}[${part}]`;
    return key === '' ? String(part) : `${key}.${String(part)}`;
  }, '');
}
