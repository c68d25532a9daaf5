import { z } from 'zod';

/** A version's entry as the registry sent it; only what is relied on is checked. */
const manifestSchema = z.looseObject({
  name: z.string(),
  version: z.string(),
  dist: z.looseObject({
    tarball: z.string(),
    integrity: z.string().nullish(),
    shasum: z.string().nullish(),
  }),
});

const packumentSchema = z.looseObject({
  name: z.string(),
  'dist-tags': z.record(z.string(), z.string()).optional(),
  versions: z.record(z.string(), z.unknown()).optional(),
  time: z.record(z.string(), z.unknown()).optional(),
  modified: z.string().optional(),
});

export type Packument = z.infer<typeof packumentSchema>;
export type Manifest = z.infer<typeof manifestSchema>;

/** A registry's answer that is no packument of this package. */
export class MalformedPackumentError extends Error {
  constructor(problem: string, options?: ErrorOptions) {
    super(problem, options);
    this.name = 'MalformedPackumentError';
  }
}

/** @throws MalformedPackumentError */
export function parsePackument(bytes: Uint8Array, name: string): Packument {
  const parsed = packumentSchema.safeParse(parseJson(bytes));
  if (!parsed.success) throw new MalformedPackumentError('it is no package document', { cause: parsed.error });
  if (parsed.data.name !== name) throw new MalformedPackumentError('it describes another package');
  return parsed.data;
}

/** The versions that can be served: each entry is about the version that it stands under and names a tarball. */
export function* manifestsOf({ name, versions = {} }: Packument): Generator<[string, Manifest]> {
  for (const [version, entry] of Object.entries(versions)) {
    const parsed = manifestSchema.safeParse(entry);
    if (parsed.success && parsed.data.name === name && parsed.data.version === version) yield [version, parsed.data];
  }
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'));
  } catch (error) {
    if (error instanceof SyntaxError) throw new MalformedPackumentError('it is not JSON', { cause: error });
    throw error;
  }
}
