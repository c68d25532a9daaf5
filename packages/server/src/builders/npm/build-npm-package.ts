import { createHash } from 'node:crypto';
import { sealedVersionOf } from '@sealsmith/ecosystems';
import { applyPatches, type NamedPatch, type PatchReport } from '../apply-patch.ts';
import { type PackedFile, readTarball, writeTarball } from '../archive.ts';
import { ArchiveRefusedError } from '../archive-refused-error.ts';
import type { BuildInput, BuildResult, SealedArtifact } from '../builder.ts';
import { MalformedPatchError } from '../malformed-patch-error.ts';
import { findBrokenSource } from '../source-syntax.ts';
import { parsePatch } from '../unified-diff.ts';
import { parseManifest, replaceManifestVersion } from './manifest-version.ts';
import { sha512Of } from './published-digest.ts';
import { sealedManifestOf } from './sealed-manifest.ts';

/** Origin tarball and patches in, sealed tarball out. The same input gives the same bytes. */
export async function buildNpmPackage(input: BuildInput): Promise<BuildResult> {
  let report: PatchReport[] = [];
  try {
    const patches = input.patches.map(readPatch);
    const packed = await readTarball(input.origin.bytes);
    const original = new Map(packed.map(({ path, bytes }) => [path, bytes]));
    const outcome = applyPatches(original, patches);
    report = outcome.report;
    if (outcome.kind === 'refused') throw new BuildRefusal(outcome.reason);
    const broken = await findBrokenSource(original, outcome.files);
    if (broken !== null) throw new BuildRefusal(`${broken}: the patched file can no longer be parsed`);
    return { kind: 'built', artifact: await pack(input, packed, outcome.files), report };
  } catch (error) {
    if (!(error instanceof BuildRefusal || error instanceof ArchiveRefusedError)) throw error;
    const reason =
      error instanceof ArchiveRefusedError ? `the origin's archive is refused: ${error.message}` : error.message;
    return { kind: 'refused', reason, report };
  }
}

/** Ends a build early, with a reason for the result; never leaves this file. */
class BuildRefusal extends Error {}

function readPatch({ fileName, text }: BuildInput['patches'][number]): NamedPatch {
  try {
    return { fileName, patch: parsePatch(text) };
  } catch (error) {
    if (error instanceof MalformedPatchError) throw new BuildRefusal(`${fileName}: ${error.message}`);
    throw error;
  }
}

async function pack(
  input: BuildInput,
  packed: readonly PackedFile[],
  patched: ReadonlyMap<string, Uint8Array>,
): Promise<SealedArtifact> {
  const version = sealedVersionOf('npm', input.originVersion, input.iteration);
  const originPackage = parseManifest(packed.find(({ path }) => path === 'package.json')?.bytes ?? Buffer.alloc(0));
  const sealedJson = replaceManifestVersion(patched.get('package.json') ?? Buffer.alloc(0), version);
  const sealedPackage = sealedJson && parseManifest(sealedJson);
  if (originPackage === null || sealedJson === null || sealedPackage === null) {
    throw new BuildRefusal('package.json: its version cannot be replaced without changing anything else');
  }
  const executables = new Set(packed.filter(({ isExecutable }) => isExecutable).map(({ path }) => path));
  const files = [...new Map(patched).set('package.json', sealedJson)].map(([path, bytes]) => ({
    path,
    bytes: Buffer.from(bytes),
    isExecutable: executables.has(path),
  }));
  const bytes = await writeTarball(files);
  const integrity = sha512Of(bytes);
  const shasum = createHash('sha1').update(bytes).digest('hex');
  const unpackedSize = files.reduce((sum, file) => sum + file.bytes.length, 0);
  const dist = { integrity, shasum, fileCount: files.length, unpackedSize };
  return {
    fileName: `${input.name.split('/').at(-1)}-${version}.tgz`,
    bytes,
    integrity,
    shasum,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    manifest: sealedManifestOf({
      registryManifest: input.origin.manifest,
      originPackage,
      sealedPackage,
      name: input.name,
      version,
      dist,
    }),
  };
}
