import { z } from 'zod';
import { defineEndpoints } from './define-endpoints.ts';
import {
  bodyBytesMax,
  cursorSchema,
  describedAs,
  limitSchema,
  packageTextSchema,
  pageOf,
  projectNameSchema,
  sbomBytesMax,
  timestampSchema,
} from './scalars.ts';
import { packageReferenceSchema } from './sealing-rules.ts';
import { vulnerablePackageSchema } from './vulnerable-packages.ts';

export const scanFormats = ['package_list', 'package_lock'] as const;

/** One package of a scanned list. `integrity` lets the service recognise a sealed artifact under its origin's version. */
export const scannedPackageSchema = packageReferenceSchema
  .extend({
    integrity: z.string().max(1024).optional(),
    is_direct: z.boolean().optional(),
    scope: z.enum(['prod', 'dev', 'optional', 'peer']).optional(),
  })
  .meta({ id: 'ScannedPackage' });

export const packagesPerScanMax = 100_000;

const scanInputSchema = describedAs(
  z
    .union([
      z.object({ packages: z.array(scannedPackageSchema).max(packagesPerScanMax) }),
      z
        .looseObject({ lockfileVersion: z.int().min(1).max(3) })
        .meta({ description: 'The text of a `package-lock.json` or `npm-shrinkwrap.json`.' }),
    ])
    .meta({ id: 'ScanInput' }),
);

export const scanSchema = z
  .object({
    id: z.string(),
    project_name: z.string(),
    source: z.string().meta({ description: 'What was scanned; a later scan of the same source replaces this one.' }),
    format: z.enum(scanFormats),
    package_count: z.int(),
    vulnerable_package_count: z.int(),
    created_on: timestampSchema,
  })
  .meta({ id: 'Scan' });
export type Scan = z.infer<typeof scanSchema>;

export const scanResultSchema = scanSchema
  .extend({
    vulnerable_packages: z.array(vulnerablePackageSchema),
    problems: z
      .array(z.object({ index: z.int(), message: z.string() }))
      .meta({ description: 'Items of a package list that could not be read; the others are recorded.' }),
  })
  .meta({ id: 'ScanResult' });
export type ScanResult = z.infer<typeof scanResultSchema>;

export const projectSchema = z.object({ name: z.string(), created_on: timestampSchema }).meta({ id: 'Project' });
export type Project = z.infer<typeof projectSchema>;

const projectParams = z.object({ project_name: projectNameSchema });

export const scanEndpoints = defineEndpoints({
  createScan: {
    method: 'POST',
    path: '/projects/{project_name}/scans',
    summary: 'Record what a project contains',
    description:
      'The body is a list of packages (`{"packages": [{"ecosystem", "package_name", "package_version"}]}`) or the text of a `package-lock.json` (lockfileVersion 1 to 3). An unknown project is created.',
    tag: 'Projects',
    scope: 'scans',
    params: projectParams,
    query: z.object({
      source: packageTextSchema.optional().meta({
        description: 'Names what is scanned; default `package-lock.json` for a lockfile, `packages` for a list.',
      }),
    }),
    body: { schema: scanInputSchema, mediaTypes: ['application/json'], bytesMax: sbomBytesMax },
    responses: { 201: { description: 'Counts and the vulnerable packages found.', schema: scanResultSchema } },
    errors: ['invalid_manifest'],
  },
  listScans: {
    method: 'GET',
    path: '/projects/{project_name}/scans',
    summary: 'List the scans of a project, newest first',
    tag: 'Projects',
    scope: 'read',
    params: projectParams,
    query: z.object({ limit: limitSchema, cursor: cursorSchema.optional() }),
    responses: { 200: { description: 'A page of scans.', schema: pageOf(scanSchema) } },
    errors: ['not_found', 'invalid_cursor'],
  },
  listProjects: {
    method: 'GET',
    path: '/projects',
    summary: 'List projects',
    tag: 'Projects',
    scope: 'read',
    query: z.object({ limit: limitSchema, cursor: cursorSchema.optional() }),
    responses: { 200: { description: 'A page of projects.', schema: pageOf(projectSchema) } },
    errors: ['invalid_cursor'],
  },
  createProject: {
    method: 'POST',
    path: '/projects',
    summary: 'Create a project',
    tag: 'Projects',
    scope: 'scans',
    body: {
      schema: z.strictObject({ name: projectNameSchema }).meta({ id: 'ProjectInput' }),
      mediaTypes: ['application/json'],
      bytesMax: bodyBytesMax,
    },
    responses: { 201: { description: 'The project.', schema: projectSchema } },
    errors: ['project_exists'],
  },
});
