import { z } from 'zod';
import { defineEndpoints } from './define-endpoints.ts';
import {
  bodyBytesMax,
  cursorSchema,
  ecosystemInputSchema,
  identifierSchema,
  limitSchema,
  packageNameSchema,
  packageTextSchema,
  packageVersionSchema,
  pageOf,
  timestampSchema,
  wireEcosystemSchema,
} from './scalars.ts';

export const fixStatuses = ['queued', 'building', 'needs_review', 'succeeded', 'unfixable', 'failed'] as const;
export type FixStatus = (typeof fixStatuses)[number];

export const fixSchema = z
  .object({
    id: z.string(),
    ecosystem: wireEcosystemSchema,
    package_name: z.string(),
    vulnerable_version: z.string(),
    vulnerability_identifiers: z.array(z.string()).meta({ description: 'What was asked for; empty for everything.' }),
    status: z.enum(fixStatuses),
    reason: z.string().nullable().meta({ description: 'Why it is unfixable or failed.' }),
    sealed_package_name: z.string().nullable(),
    sealed_package_version: z.string().nullable(),
    vulnerabilities: z.array(z.string()).meta({ description: 'Identifiers that the sealed version closes.' }),
    created_on: timestampSchema,
    updated_on: timestampSchema,
  })
  .meta({ id: 'Fix' });
export type Fix = z.infer<typeof fixSchema>;

export const generateFixInputSchema = z
  .strictObject({
    ecosystem: ecosystemInputSchema,
    package_name: packageNameSchema,
    vulnerable_version: packageVersionSchema,
    vulnerability_identifiers: z.array(identifierSchema).max(200).optional(),
  })
  .meta({ id: 'GenerateFixInput' });
export type GenerateFixInput = z.infer<typeof generateFixInputSchema>;

export const fixEndpoints = defineEndpoints({
  generateFix: {
    method: 'POST',
    path: '/generate-fix',
    summary: 'Generate a fix',
    description:
      'Asked again while a fix is under way, or when the newest sealed version already closes everything asked: 200 with that fix.',
    tag: 'Fixes',
    scope: 'fixes',
    body: { schema: generateFixInputSchema, mediaTypes: ['application/json'], bytesMax: bodyBytesMax },
    responses: {
      200: { description: 'The fix that is under way or already done.', schema: fixSchema },
      202: { description: 'The fix, queued.', schema: fixSchema, headers: { Location: 'The URL of the fix.' } },
    },
    errors: ['package_version_not_found', 'not_vulnerable', 'upstream_unavailable'],
  },
  listFixes: {
    method: 'GET',
    path: '/fixes',
    summary: 'List fixes, newest first',
    tag: 'Fixes',
    scope: 'read',
    query: z.object({
      status: z.enum(fixStatuses, `must be one of ${fixStatuses.join(', ')}`).optional(),
      limit: limitSchema,
      cursor: cursorSchema.optional(),
    }),
    responses: { 200: { description: 'A page of fixes.', schema: pageOf(fixSchema) } },
    errors: ['invalid_cursor'],
  },
  getFix: {
    method: 'GET',
    path: '/fixes/{fix_id}',
    summary: 'Return a fix',
    tag: 'Fixes',
    scope: 'read',
    params: z.object({ fix_id: packageTextSchema.max(64) }),
    responses: { 200: { description: 'The fix.', schema: fixSchema } },
    errors: ['not_found'],
  },
});
