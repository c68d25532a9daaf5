import { z } from 'zod';
import { defineEndpoints } from './define-endpoints.ts';
import {
  describedAs,
  ecosystemInputSchema,
  identifierSchema,
  packageNameSchema,
  packageVersionSchema,
  sbomBytesMax,
} from './scalars.ts';

/** One iteration of one package version in the public patch layout. */
export const patchSetSchema = z
  .strictObject({
    ecosystem: ecosystemInputSchema,
    package_name: packageNameSchema,
    package_version: packageVersionSchema,
    iteration: z.int().min(1).max(100_000),
    readme: z
      .string()
      .max(1024 * 1024)
      .nullable(),
    patches: z
      .array(z.strictObject({ file_name: z.string().min(1).max(255), text: z.string().max(10 * 1024 * 1024) }))
      .min(1)
      .max(200),
  })
  .meta({ id: 'PatchSet' });
export type WirePatchSet = z.infer<typeof patchSetSchema>;

export const importReportSchema = z
  .object({
    imported: z.int(),
    unchanged: z.int(),
    skipped: z.int(),
    problems: z.array(z.object({ name: z.string(), reason: z.string() })),
  })
  .meta({ id: 'ImportReport', description: 'Counts of an import; a bad entry is named with its reason and skipped.' });
export type ImportReport = z.infer<typeof importReportSchema>;

export const advisoryMediaTypes = ['application/json', 'application/x-ndjson', 'application/yaml', 'application/zip'];
export const advisoryImportBytesMax = 2 * 1024 * 1024 * 1024;

export const patchEndpoints = defineEndpoints({
  getValidationPrompt: {
    method: 'GET',
    path: '/patches/validation-prompt',
    summary: 'Return a patch validation prompt as text',
    tag: 'Patches',
    scope: 'read',
    query: z.object({
      ecosystem: ecosystemInputSchema,
      package_name: packageNameSchema,
      vulnerable_version: packageVersionSchema,
      vulnerability_identifier: identifierSchema,
    }),
    responses: {
      200: { description: 'The prompt.', schema: z.string(), mediaType: 'text/plain; charset=utf-8' },
    },
    errors: ['library_version_not_found', 'sealed_version_not_found', 'vulnerability_impact_not_found'],
  },
  importPatches: {
    method: 'POST',
    path: '/patches/import',
    summary: "Import patches into the tenant's catalog",
    description: 'Idempotent. One bad set is reported and skipped; the others are imported.',
    tag: 'Patches',
    scope: 'fixes',
    body: {
      schema: z
        .strictObject({ patch_sets: z.array(describedAs(patchSetSchema)).max(1_000) })
        .meta({ id: 'PatchImport' }),
      mediaTypes: ['application/json'],
      bytesMax: sbomBytesMax,
    },
    responses: { 200: { description: 'What became of each set.', schema: importReportSchema } },
    errors: [],
  },
});

export const advisoryEndpoints = defineEndpoints({
  importAdvisories: {
    method: 'POST',
    path: '/advisories/import',
    summary: "Import OSV records into the tenant's advisories",
    description: 'Idempotent by id and `modified`. One bad record is reported and skipped; the others are imported.',
    tag: 'Advisories',
    scope: 'scans',
    body: { mediaTypes: advisoryMediaTypes, bytesMax: advisoryImportBytesMax },
    responses: { 200: { description: 'What became of the records.', schema: importReportSchema } },
    errors: [],
  },
});
