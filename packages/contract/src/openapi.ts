import { z } from 'zod';
import { type Endpoint, errorsOf, type SuccessResponse } from './endpoint.ts';
import { endpoints } from './endpoints.ts';
import { errorCodes } from './error-codes.ts';
import { problemSchema } from './problem.ts';
import { basePath } from './scalars.ts';

type Json = Record<string, unknown>;

/** The OpenAPI 3.1 description of the whole API, generated from the endpoint table. */
export function openApiDocument(version: string): Json {
  const components = new SchemaComponents();
  const problem = components.add(problemSchema, 'output');
  const paths: Record<string, Json> = {};
  for (const endpoint of Object.values(endpoints) as Endpoint[]) {
    paths[endpoint.path] = {
      ...paths[endpoint.path],
      [endpoint.method.toLowerCase()]: operation(endpoint, components, problem),
    };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Sealsmith API',
      version,
      summary: 'Vulnerable packages, sealing rules and fixes of a tenant.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: basePath }],
    security: [{ accessToken: [] }],
    tags: [...new Set(Object.values(endpoints).map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: { accessToken: { type: 'http', scheme: 'bearer', description: 'The artifact server token.' } },
      schemas: components.schemas,
    },
  };
}

function operation(endpoint: Endpoint, components: SchemaComponents, problem: Json): Json {
  const parameters = [
    ...parametersOf(endpoint.params, 'path', components),
    ...parametersOf(endpoint.query, 'query', components),
    ...(endpoint.method === 'POST' ? [idempotencyKeyParameter] : []),
  ];
  return {
    operationId: endpoint.id,
    summary: endpoint.summary,
    ...(endpoint.description && { description: endpoint.description }),
    tags: [endpoint.tag],
    'x-required-scope': endpoint.scope,
    ...(parameters.length > 0 && { parameters }),
    ...(endpoint.body && { requestBody: requestBody(endpoint.body, components) }),
    responses: { ...successes(endpoint, components), ...failures(endpoint, problem) },
  };
}

const idempotencyKeyParameter = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'A retry with the same key and the same request gets the first answer again.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
};

function parametersOf(
  object: z.ZodObject | undefined,
  location: 'path' | 'query',
  components: SchemaComponents,
): Json[] {
  if (!object) return [];
  return Object.entries(object.shape).map(([name, field]) => {
    const { description, ...schema } = components.add(field as z.ZodType, 'input');
    const required = !(field as z.ZodType).safeParse(undefined).success;
    return { name, in: location, required, ...(description ? { description } : {}), schema };
  });
}

function requestBody(body: NonNullable<Endpoint['body']>, components: SchemaComponents): Json {
  const schema = body.schema ? components.add(body.schema, 'input') : {};
  return {
    required: true,
    content: Object.fromEntries(body.mediaTypes.map((mediaType) => [mediaType, { schema }])),
  };
}

function successes(endpoint: Endpoint, components: SchemaComponents): Json {
  const entries = Object.entries(endpoint.responses).map(([status, response]) => [
    status,
    success(response, components),
  ]);
  return Object.fromEntries(entries);
}

function success(
  { description, schema, mediaType = 'application/json', headers }: SuccessResponse,
  components: SchemaComponents,
) {
  const described = Object.entries(headers ?? {}).map(([name, text]) => [
    name,
    { description: text, schema: { type: 'string' } },
  ]);
  return {
    description,
    ...(described.length > 0 && { headers: Object.fromEntries(described) }),
    ...(schema && { content: { [mediaType.split(';')[0] as string]: { schema: components.add(schema, 'output') } } }),
  };
}

function failures(endpoint: Endpoint, problem: Json): Json {
  const byStatus = new Map<number, string[]>();
  for (const code of errorsOf(endpoint)) {
    const { status } = errorCodes[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const entries = [...byStatus].map(([status, codes]) => [
    status,
    {
      description: codes.map((code) => `\`${code}\`: ${errorCodes[code as keyof typeof errorCodes].title}.`).join(' '),
      content: { 'application/problem+json': { schema: problem } },
    },
  ]);
  return Object.fromEntries(entries);
}

/** Collects the schemas that carry an id, so that each stands in the document once. */
class SchemaComponents {
  readonly schemas: Record<string, Json> = {};

  /** @returns the schema itself, or a reference to it when it carries an id */
  add(schema: z.ZodType, io: 'input' | 'output'): Json {
    const {
      $schema: _,
      $defs = {},
      ...root
    } = z.toJSONSchema(schema, {
      io,
      unrepresentable: 'any',
      override: ({ zodSchema, jsonSchema }) => {
        const { describedAs } = z.globalRegistry.get(zodSchema as unknown as z.ZodType) ?? {};
        if (!(describedAs instanceof z.ZodType)) return;
        delete jsonSchema.describedAs;
        Object.assign(jsonSchema, this.add(describedAs, io));
      },
    });
    for (const [name, definition] of Object.entries($defs)) this.schemas[name] = relocate(definition as Json);
    const id = schema.meta()?.id;
    const own = relocate(root);
    // A schema that refers to others stands among the definitions already.
    if (!id || '$ref' in own) return own;
    this.schemas[id] = own;
    return { $ref: `#/components/schemas/${id}` };
  }
}

function relocate(schema: Json): Json {
  const text = JSON.stringify(schema, (key, value) => (key === 'id' && typeof value === 'string' ? undefined : value));
  return JSON.parse(text.replaceAll('"#/$defs/', '"#/components/schemas/'));
}
