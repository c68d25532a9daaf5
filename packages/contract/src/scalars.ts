import { z } from 'zod';

export const basePath = '/authenticated/api/v1';

export const wireEcosystems = ['NPM', 'PyPI', 'Maven', 'RPM', 'DEB', 'APK'] as const;
export type WireEcosystem = (typeof wireEcosystems)[number];

export const wireEcosystemSchema = z.enum(wireEcosystems).meta({ id: 'Ecosystem', description: 'Package ecosystem.' });

/** An ecosystem as clients write it: read without regard to case. */
export const ecosystemInputSchema = z
  .string()
  .transform((text) => wireEcosystems.find((name) => name.toLowerCase() === text.toLowerCase()) ?? text)
  .pipe(z.enum(wireEcosystems, `must be one of ${wireEcosystems.join(', ')} (in any case)`))
  .meta({ description: 'Package ecosystem, read without regard to case.', examples: [...wireEcosystems] });

export const projectNameBytesMax = 255;
export const packageTextMax = 512;

/** Control characters, whose presence in a name is always a mistake or an attack. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: naming them is the purpose
const controlCharacters = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;

export const projectNameSchema = z
  .string()
  .min(1, 'must not be empty')
  .max(projectNameBytesMax, `must have at most ${projectNameBytesMax} characters`)
  .regex(/^[A-Za-z0-9._-]*$/, 'may contain letters, digits, ".", "_" and "-" only')
  .refine((name) => name !== '.' && name !== '..', 'must not be "." or ".."')
  .meta({ description: 'Project name: letters, digits, ".", "_", "-".', examples: ['storefront'] });

export const packageTextSchema = z
  .string()
  .min(1, 'must not be empty')
  .max(packageTextMax, `must have at most ${packageTextMax} characters`)
  .refine((text) => !controlCharacters.test(text), 'must not contain control characters');

export const packageNameSchema = packageTextSchema.meta({ description: 'Package name.', examples: ['ejs'] });
export const packageVersionSchema = packageTextSchema.meta({ description: 'Package version.', examples: ['2.7.4'] });
export const identifierSchema = z
  .string()
  .min(1, 'must not be empty')
  .max(200, 'must have at most 200 characters')
  .refine((text) => !controlCharacters.test(text), 'must not contain control characters')
  .meta({
    description: 'Vulnerability identifier: CVE, GHSA, a vendor id or any alias.',
    examples: ['CVE-2022-29078'],
  });

export const timestampSchema = z.iso
  .datetime({ precision: 3 })
  .meta({ description: 'UTC time, milliseconds.', examples: ['2026-11-21T13:45:07.123Z'] });

export const limitSchema = z
  .int('must be an integer from 1 to 200')
  .min(1, 'must be an integer from 1 to 200')
  .max(200, 'must be an integer from 1 to 200')
  .default(100)
  .meta({ description: 'Maximum number of items in one page.' });

export const cursorSchema = z
  .string()
  .max(4096, 'must have at most 4096 characters')
  .meta({ description: 'Opaque cursor: the `next_page` of the page before, unchanged.' });

export const nextPageSchema = z
  .string()
  .nullable()
  .meta({ description: 'Cursor of the next page; null when no further page exists.' });

/** A page of items as every list answers it. */
export function pageOf<Item extends z.ZodType>(item: Item) {
  return z.object({ items: z.array(item), next_page: nextPageSchema });
}

/**
 * Anything, described as a schema: for what is parsed later and by itself, as the items of a list of which one may be bad
 * without harm to the others.
 */
export function describedAs(schema: z.ZodType) {
  return z.unknown().meta({ describedAs: schema });
}

export const bodyBytesMax = 10 * 1024 * 1024;
export const sbomBytesMax = 50 * 1024 * 1024;
