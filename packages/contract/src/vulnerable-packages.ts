import { z } from 'zod';
import { defineEndpoints } from './define-endpoints.ts';
import {
  bodyBytesMax,
  cursorSchema,
  ecosystemInputSchema,
  limitSchema,
  packageNameSchema,
  packageVersionSchema,
  pageOf,
  projectNameSchema,
  timestampSchema,
  wireEcosystemSchema,
} from './scalars.ts';

export const fixAvailabilities = [
  'generate_fix',
  'fix_in_preparation',
  'seal_available',
  'pending_deploy',
  'sealed',
  'unfixable',
] as const;
export type FixAvailability = (typeof fixAvailabilities)[number];

export const severities = ['critical', 'high', 'medium', 'low', 'unknown'] as const;
export type Severity = (typeof severities)[number];

export const wireTokenRoles = ['Production', 'Development'] as const;

export const vulnerabilitySchema = z
  .object({
    identifier: z.string().meta({ description: 'CVE if there is one, else GHSA, else another id.' }),
    aliases: z.array(z.string()),
    severity: z.enum(severities),
    cvss_score: z.number().nullable(),
    state: z
      .enum(['open', 'sealed'])
      .meta({ description: 'Whether what the last scan saw still has it (`open`) or holds the fix (`sealed`).' }),
    sealed_by: z
      .string()
      .nullable()
      .meta({ description: 'The first sealed version that closes it; null when there is none.' }),
  })
  .meta({ id: 'Vulnerability' });
export type Vulnerability = z.infer<typeof vulnerabilitySchema>;

export const vulnerablePackageSchema = z
  .object({
    package_name: z.string(),
    package_version: z.string().meta({ description: 'The origin version.' }),
    ecosystem: wireEcosystemSchema,
    project_name: z.string(),
    fix_availability: z.enum(fixAvailabilities),
    sealed_package_name: z.string().nullable(),
    sealed_package_version: z.string().nullable().meta({ description: 'The newest sealed version, if any.' }),
    vulnerabilities: z.array(vulnerabilitySchema),
    is_hidden: z.boolean(),
    access_token_role: z.enum(wireTokenRoles).meta({ description: 'Role of the token that reported the package.' }),
    first_seen_on: timestampSchema,
    last_seen_on: timestampSchema,
  })
  .meta({ id: 'VulnerablePackage' });
export type VulnerablePackage = z.infer<typeof vulnerablePackageSchema>;

/** One of a closed set, read without regard to case. */
function anyCase<const Values extends readonly [string, ...string[]]>(values: Values) {
  return z
    .string()
    .transform((text) => values.find((value) => value.toLowerCase() === text.toLowerCase()) ?? text)
    .pipe(z.enum(values, `must be one of ${values.join(', ')}`));
}

export const vulnerablePackageEndpoints = defineEndpoints({
  listVulnerablePackages: {
    method: 'GET',
    path: '/packages/vulnerable',
    summary: 'List vulnerable packages',
    tag: 'Packages',
    scope: 'read',
    query: z.object({
      package_name_contains: z
        .string()
        .optional()
        .meta({ description: 'A substring of the package name, without regard to case.' }),
      project_name_filter: z
        .string()
        .optional()
        .meta({ description: 'A substring of the project name, without regard to case.' }),
      ecosystem: ecosystemInputSchema.optional(),
      is_hidden: z.boolean('must be true or false').default(false),
      access_token_role: anyCase(wireTokenRoles).default('Production'),
      fix_availability: z.enum(fixAvailabilities, `must be one of ${fixAvailabilities.join(', ')}`).optional(),
      limit: limitSchema,
      cursor: cursorSchema.optional(),
    }),
    responses: { 200: { description: 'A page of packages.', schema: pageOf(vulnerablePackageSchema) } },
    errors: ['invalid_cursor'],
  },
  setVulnerablePackageHidden: {
    method: 'PUT',
    path: '/packages/vulnerable/hidden',
    summary: 'Hide a vulnerable package of a project, or show it again',
    tag: 'Packages',
    scope: 'scans',
    body: {
      schema: z
        .strictObject({
          project_name: projectNameSchema,
          ecosystem: ecosystemInputSchema,
          package_name: packageNameSchema,
          package_version: packageVersionSchema,
          access_token_role: anyCase(wireTokenRoles).default('Production'),
          is_hidden: z.boolean(),
        })
        .meta({ id: 'HiddenInput' }),
      mediaTypes: ['application/json'],
      bytesMax: bodyBytesMax,
    },
    responses: { 200: { description: 'The package.', schema: vulnerablePackageSchema } },
    errors: ['not_found'],
  },
});
