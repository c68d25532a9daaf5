import { z } from 'zod';
import { defineEndpoints } from './define-endpoints.ts';
import {
  bodyBytesMax,
  cursorSchema,
  describedAs,
  ecosystemInputSchema,
  limitSchema,
  packageNameSchema,
  packageTextSchema,
  packageVersionSchema,
  pageOf,
  projectNameSchema,
  timestampSchema,
  wireEcosystemSchema,
} from './scalars.ts';

export const anySentinel = '<ANY>';
export const safestSentinel = '<SAFEST>';
export const originSentinel = '<ORIGIN>';

/** A concrete name or version: angle brackets are kept for the sentinels. */
const concrete = packageTextSchema.refine((text) => !/[<>]/.test(text), 'must not contain "<" or ">"');

const ruleFields = {
  project_name: z.string().meta({ description: 'The project, or `<ANY>` for a tenant-wide rule.' }),
  vulnerable_package_name: z.string().meta({ description: 'The vulnerable package, or `<ANY>` for every package.' }),
  vulnerable_package_version: z.string().meta({ description: 'The vulnerable version, or `<ANY>` for every version.' }),
  sealed_package_name: z.string().meta({ description: 'The sealed package that replaces it, or `<ANY>`.' }),
  sealed_package_version: z.string().meta({ description: 'A pinned sealed version, `<SAFEST>` or `<ORIGIN>`.' }),
};

export const sealingRuleSchema = z.object({ ...ruleFields, created_on: timestampSchema }).meta({ id: 'SealingRule' });
export type SealingRule = z.infer<typeof sealingRuleSchema>;

const projectOrAny = z.string().superRefine((text, context) => {
  if (text === anySentinel) return;
  for (const issue of projectNameSchema.safeParse(text).error?.issues ?? []) context.addIssue(issue.message);
});
const concreteOrAny = z.string().superRefine((text, context) => {
  if (text === anySentinel) return;
  for (const issue of concrete.safeParse(text).error?.issues ?? []) context.addIssue(issue.message);
});
const outcome = z.string().superRefine((text, context) => {
  if (text === safestSentinel || text === originSentinel) return;
  for (const issue of concrete.safeParse(text).error?.issues ?? []) context.addIssue(issue.message);
});

export const ruleInputSchema = z
  .strictObject({
    project_name: projectOrAny.meta({ description: ruleFields.project_name.description }),
    vulnerable_package_name: concreteOrAny,
    vulnerable_package_version: concreteOrAny,
    sealed_package_name: concreteOrAny,
    sealed_package_version: outcome,
  })
  .meta({ id: 'SealingRuleInput' });
export type SealingRuleInput = z.infer<typeof ruleInputSchema>;

export const packageReferenceSchema = z
  .object({
    ecosystem: ecosystemInputSchema,
    package_name: packageNameSchema,
    package_version: packageVersionSchema,
  })
  .meta({ id: 'PackageReference' });

export const resolveItemsMax = 5_000;

const resolvedItemSchema = z
  .object({
    ecosystem: wireEcosystemSchema,
    package_name: z.string(),
    package_version: z.string(),
    outcome: z.enum(['sealed', 'origin', 'unresolved', 'no_rule']),
    sealed_package_name: z.string().nullable(),
    sealed_package_version: z.string().nullable(),
    reason: z.string().meta({ description: 'Why this is the outcome, in a sentence.' }),
    rule: sealingRuleSchema.nullable().meta({ description: 'The deciding rule.' }),
    rule_is_draft: z.boolean(),
    losing_rules: z.array(z.object({ rule: sealingRuleSchema, reason: z.string() })),
    artifact: z
      .object({ url: z.string(), integrity: z.string(), size_bytes: z.int() })
      .nullable()
      .meta({ description: 'Where the sealed artifact is served and its Subresource Integrity digest.' }),
  })
  .meta({ id: 'ResolvedPackage' });

const failedItemSchema = z
  .object({
    outcome: z.literal('error'),
    error: z.object({ code: z.string(), detail: z.string() }),
  })
  .meta({ id: 'UnresolvableItem' });

export const resolveResponseSchema = z.object({
  items: z.array(z.union([resolvedItemSchema, failedItemSchema])),
});
export type ResolvedPackage = z.infer<typeof resolvedItemSchema>;
export type ResolveResponse = z.infer<typeof resolveResponseSchema>;

const json = ['application/json'];
const filterDescription = (field: string) =>
  `Omitted: no restriction. \`<ANY>\`: only rules whose ${field} is \`<ANY>\`. Else: a substring of the concrete ${field}, without regard to case.`;

export const sealingRuleEndpoints = defineEndpoints({
  listSealingRules: {
    method: 'GET',
    path: '/sealing-rules',
    summary: 'List sealing rules',
    tag: 'Sealing rules',
    scope: 'read',
    query: z.object({
      project_name_filter: z
        .string()
        .optional()
        .meta({ description: filterDescription('project name') }),
      package_name_filter: z
        .string()
        .optional()
        .meta({ description: filterDescription('vulnerable package name') }),
      limit: limitSchema,
      cursor: cursorSchema.optional(),
    }),
    responses: { 200: { description: 'A page of rules.', schema: pageOf(sealingRuleSchema) } },
    errors: ['invalid_cursor'],
  },
  createSealingRule: {
    method: 'POST',
    path: '/sealing-rules',
    summary: 'Create a sealing rule',
    tag: 'Sealing rules',
    scope: 'rules',
    body: { schema: ruleInputSchema, mediaTypes: json, bytesMax: bodyBytesMax },
    responses: { 201: { description: 'The rule as stored.', schema: sealingRuleSchema } },
    errors: ['rule_exists', 'inconsistent_rule'],
  },
  putSealingRule: {
    method: 'PUT',
    path: '/sealing-rules',
    summary: 'Create a sealing rule or replace the one with the same key',
    description: 'The key is (project_name, vulnerable_package_name, vulnerable_package_version).',
    tag: 'Sealing rules',
    scope: 'rules',
    body: { schema: ruleInputSchema, mediaTypes: json, bytesMax: bodyBytesMax },
    responses: {
      200: { description: 'The replaced rule.', schema: sealingRuleSchema },
      201: { description: 'The new rule.', schema: sealingRuleSchema },
    },
    errors: ['inconsistent_rule'],
  },
  deleteSealingRule: {
    method: 'DELETE',
    path: '/sealing-rules',
    summary: 'Delete a sealing rule by its key',
    tag: 'Sealing rules',
    scope: 'rules',
    query: z.object({
      project_name: projectOrAny,
      vulnerable_package_name: concreteOrAny,
      vulnerable_package_version: concreteOrAny,
    }),
    responses: { 204: { description: 'The rule is gone.' } },
    errors: ['not_found', 'inconsistent_rule'],
  },
  resolveSealingRules: {
    method: 'POST',
    path: '/sealing-rules/resolve',
    summary: 'Say what the rules do to packages, and why',
    description: 'One bad item is an error on that item alone. `draft_rules` are treated as if they were stored.',
    tag: 'Sealing rules',
    scope: 'read',
    body: {
      schema: z
        .strictObject({
          project_name: projectNameSchema,
          packages: z
            .array(describedAs(packageReferenceSchema))
            .max(resolveItemsMax, `must have at most ${resolveItemsMax} items`),
          draft_rules: z.array(ruleInputSchema).max(resolveItemsMax).optional(),
        })
        .meta({ id: 'ResolveRequest' }),
      mediaTypes: json,
      bytesMax: bodyBytesMax,
    },
    responses: { 200: { description: 'One result for each item, in order.', schema: resolveResponseSchema } },
    errors: ['inconsistent_rule'],
  },
});
