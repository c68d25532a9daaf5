import { z } from 'zod';
import { AppError, type InputProblem } from '../app-error.ts';

type Location = InputProblem['location'];
type TextReader = (text: string) => unknown;

const readers: Record<string, TextReader> = {
  integer: (text) => (/^-?\d{1,15}$/.test(text) ? Number(text) : Number.NaN),
  boolean: (text) => (text === 'true' ? true : text === 'false' ? false : text),
};

/** Makes a parser of query strings for a schema. What it does not know, or finds twice, is an error, never ignored. */
export function queryParser<Schema extends z.ZodObject>(schema: Schema): (query: unknown) => z.output<Schema> {
  const names = Object.keys(schema.shape);
  const readerOf = textReaders(schema);
  return (query) => {
    const values: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(query as Record<string, string | string[]>)) {
      if (!names.includes(name)) throw invalidQuery(name, unknownParameter(name, names));
      if (Array.isArray(value)) throw invalidQuery(name, `The parameter "${name}" is given more than once.`);
      values[name] = readerOf.get(name)?.(value) ?? value;
    }
    return parse(schema, values, 'query');
  };
}

/** Parses a value by its schema; every problem is reported at once. */
export function parse<Schema extends z.ZodType>(schema: Schema, value: unknown, location: Location): z.output<Schema> {
  const result = schema.safeParse(value, { error: describeIssue });
  if (result.success) return result.data;
  const problems = result.error.issues.map((issue) => toProblem(issue, location));
  const [first] = problems;
  const detail = first ? `${subjectOf(first)} ${first.message}.` : 'The input is not valid.';
  throw new AppError('invalid_parameter', detail, { problems });
}

/** For an endpoint without query parameters: every one is unknown. */
export const noQuery = queryParser(z.object({}));

function textReaders(schema: z.ZodObject): Map<string, TextReader> {
  const { properties = {} } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return new Map(
    Object.entries(properties).flatMap(([name, property]) => {
      const reader = typeof property === 'object' ? readers[String(property.type)] : undefined;
      return reader ? [[name, reader] as const] : [];
    }),
  );
}

function unknownParameter(name: string, names: string[]): string {
  const allowed = names.length === 0 ? 'this endpoint has none' : `allowed are ${names.join(', ')}`;
  return `The parameter "${name.slice(0, 100)}" is unknown; ${allowed}.`;
}

function invalidQuery(name: string, detail: string): AppError {
  return new AppError('invalid_parameter', detail, { problems: [{ location: 'query', name, message: detail }] });
}

function toProblem(issue: z.core.$ZodIssue, location: Location): InputProblem {
  return { location, name: issue.path.join('.'), message: messageOf(issue) };
}

/** What a schema itself does not say; completes a sentence that begins with the name of the value. */
function describeIssue(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is required' : `must be ${typeNames[issue.expected] ?? issue.expected}`;
    case 'unrecognized_keys':
      return `has unknown fields: ${issue.keys.join(', ')}`;
    case 'too_big':
      return `must ${measures[issue.origin] ?? 'be'} at most ${issue.maximum}`;
    case 'too_small':
      return `must ${measures[issue.origin] ?? 'be'} at least ${issue.minimum}`;
    default:
      return undefined;
  }
}

const typeNames: Readonly<Record<string, string>> = {
  string: 'a string',
  object: 'an object',
  array: 'a list',
  number: 'a number',
  boolean: 'true or false',
};

const measures: Readonly<Record<string, string>> = {
  string: 'have a length of',
  array: 'have a number of items of',
};

function messageOf(issue: z.core.$ZodIssue): string {
  const [start = '', ...rest] = issue.message;
  return `${start.toLowerCase()}${rest.join('')}`.replace(/\.$/, '');
}

function subjectOf({ location, name }: InputProblem): string {
  if (location === 'query') return `The parameter "${name}"`;
  return name === '' ? `The ${location}` : `The ${location === 'body' ? 'field' : location} "${name}"`;
}
