import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { z } from 'zod';
import server from '../../server/package.json' with { type: 'json' };
import { type Endpoint, errorsOf } from './endpoint.ts';
import { endpoints } from './endpoints.ts';
import { errorCodes } from './error-codes.ts';
import { openApiDocument } from './openapi.ts';
import { scopes } from './tokens.ts';

/** As much of OpenAPI 3.1 (spec.openapis.org/oas/v3.1.1) as the document uses, without anything else. */
const content = z.record(z.string(), z.strictObject({ schema: z.record(z.string(), z.unknown()) }));
const header = z.strictObject({ description: z.string(), schema: z.looseObject({}) });
const operationSchema = z.strictObject({
  operationId: z.string(),
  summary: z.string(),
  description: z.string().optional(),
  tags: z.tuple([z.string()]),
  'x-required-scope': z.enum(scopes),
  parameters: z
    .array(
      z.strictObject({
        name: z.string(),
        in: z.enum(['path', 'query', 'header']),
        required: z.boolean(),
        description: z.string().optional(),
        schema: z.looseObject({}),
      }),
    )
    .optional(),
  requestBody: z.strictObject({ required: z.literal(true), content }).optional(),
  responses: z.record(
    z.string().regex(/^[1-5]\d\d$/),
    z.strictObject({
      description: z.string().min(1),
      headers: z.record(z.string(), header).optional(),
      content: content.optional(),
    }),
  ),
});
const documentSchema = z.strictObject({
  openapi: z.literal('3.1.0'),
  info: z.looseObject({ title: z.string(), version: z.string() }),
  servers: z.array(z.strictObject({ url: z.string() })),
  security: z.array(z.record(z.string(), z.array(z.string()))),
  tags: z.array(z.strictObject({ name: z.string() })),
  paths: z.record(
    z.string().startsWith('/'),
    z.partialRecord(z.enum(['get', 'post', 'put', 'delete']), operationSchema),
  ),
  components: z.strictObject({
    securitySchemes: z.record(z.string(), z.looseObject({ type: z.literal('http'), scheme: z.literal('bearer') })),
    schemas: z.record(z.string(), z.looseObject({})),
  }),
});

const document = documentSchema.parse(openApiDocument(server.version));
const all = Object.values(endpoints) as Endpoint[];
const operationOf = ({ path, method }: Endpoint) => {
  const operation = document.paths[path]?.[method.toLowerCase() as 'get'];
  if (!operation) throw new Error(`${method} ${path} is not in the document`);
  return operation;
};

test('the committed document is current', () => {
  const committed = readFileSync(new URL('../../../docs/api/openapi.json', import.meta.url), 'utf8');
  expect(committed).toBe(`${JSON.stringify(openApiDocument(server.version), null, 2)}\n`);
});

test('every endpoint is there once, with every status that it may answer', () => {
  const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
  expect(operations).toHaveLength(all.length);
  expect(new Set(operations.map((operation) => operation?.operationId))).toEqual(new Set(all.map(({ id }) => id)));
  for (const endpoint of all) {
    const statuses = [
      ...Object.keys(endpoint.responses),
      ...errorsOf(endpoint).map((code) => String(errorCodes[code].status)),
    ];
    const { responses, tags } = operationOf(endpoint);
    expect(Object.keys(responses).sort(), endpoint.id).toEqual([...new Set(statuses)].sort());
    expect(document.tags).toContainEqual({ name: tags[0] });
  }
});

test('every error is a problem document that names its codes', () => {
  for (const endpoint of all) {
    for (const code of errorsOf(endpoint)) {
      const response = operationOf(endpoint).responses[errorCodes[code].status];
      expect(response?.description).toContain(`\`${code}\``);
      expect(response?.content).toEqual({
        'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } },
      });
    }
  }
});

test('the parameters are those of the path and the query, and say whether they must be there', () => {
  for (const endpoint of all) {
    const parameters = operationOf(endpoint).parameters ?? [];
    const inPath = parameters.filter((parameter) => parameter.in === 'path');
    const inQuery = parameters.filter((parameter) => parameter.in === 'query');
    expect(inPath.map(({ name }) => `{${name}}`)).toEqual(endpoint.path.match(/\{\w+\}/g) ?? []);
    expect(inPath.every(({ required }) => required)).toBe(true);
    expect(inQuery.map(({ name }) => name)).toEqual(Object.keys(endpoint.query?.shape ?? {}));
  }
  const prompt = operationOf(endpoints.getValidationPrompt).parameters ?? [];
  expect(prompt.map(({ required }) => required)).toEqual([true, true, true, true]);
  const limit = operationOf(endpoints.listSealingRules).parameters?.find(({ name }) => name === 'limit');
  expect(limit).toMatchObject({ required: false, schema: { type: 'integer', minimum: 1, maximum: 200, default: 100 } });
});

test('every reference leads to a schema, and every schema is referred to', () => {
  const text = JSON.stringify(document);
  const referred = new Set([...text.matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name));
  expect(referred).toEqual(new Set(Object.keys(document.components.schemas)));
  expect(text).not.toContain('$defs');
});

test('the rule object has the six fields of the contract, all required strings', () => {
  expect(document.components.schemas.SealingRule).toMatchObject({
    type: 'object',
    required: [
      'project_name',
      'vulnerable_package_name',
      'vulnerable_package_version',
      'sealed_package_name',
      'sealed_package_version',
      'created_on',
    ],
  });
});

test('no schema is only a reference to itself', () => {
  const schemas = (openApiDocument('1.0.0').components as { schemas: Record<string, object> }).schemas;
  const selfReferring = Object.entries(schemas).filter(
    ([name, schema]) => JSON.stringify(schema) === JSON.stringify({ $ref: `#/components/schemas/${name}` }),
  );
  expect(selfReferring).toEqual([]);
});
