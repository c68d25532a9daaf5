import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { sealedVersionOf } from '@sealsmith/ecosystems';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Builder, OriginArtifact, SealedArtifact } from '../../packages/server/src/builders/builder.ts';
import { createNpmBuilder } from '../../packages/server/src/builders/npm/index.ts';
import { npmRegistryOfMachine } from '../../packages/server/src/config/npm-registry-of-machine.ts';
import { readPatchFolder } from '../../packages/server/src/patches/patch-folder.ts';
import type { PatchSet } from '../../packages/server/src/patches/patch-set.ts';
import { createOutboundFetch, type OutboundFetch } from '../../packages/server/src/platform/outbound-fetch.ts';
import { readAdvisories } from '../../packages/server/src/vulnerabilities/advisory-source.ts';
import { advisoryAffects } from '../../packages/server/src/vulnerabilities/affected-range.ts';
import type { Advisory } from '../../packages/server/src/vulnerabilities/osv-record.ts';
import { runProgram } from '../journey/steps.ts';
import { repositoryDir } from '../support/running-service.ts';

// The proofs about time want a processor of their own.
vi.setConfig({ maxConcurrency: 2 });

const catalogDir = path.join(repositoryDir, 'catalog');
const sets = await readPatchSets();
const advisories = await readAllAdvisories();
const timeoutMs = { connect: 10_000, headers: 30_000, bodyIdle: 30_000, total: 120_000 };

let outbound: OutboundFetch;
let builder: Builder;
let workDir: string;

beforeAll(async () => {
  const upstreamUrl = await npmRegistryOfMachine();
  if (!upstreamUrl) throw new Error('the npm of this machine has no registry');
  const { HTTP_PROXY: http, HTTPS_PROXY: https, NO_PROXY: noProxy } = process.env;
  const proxy = { http, https, noProxy };
  outbound = createOutboundFetch({ allowedOrigins: [upstreamUrl.origin], userAgent: 'sealsmith', timeoutMs, proxy });
  builder = createNpmBuilder({ outbound, upstreamUrl });
  workDir = await mkdtemp(path.join(tmpdir(), 'sealsmith-proofs-'));
});

afterAll(async () => {
  await outbound[Symbol.asyncDispose]();
  await rm(workDir, { recursive: true, force: true });
});

test('the catalog has patches, and every folder of it can be read', () => {
  expect(sets.length).toBeGreaterThan(10);
});

describe.concurrent.for(sets)('$name $version sp$iteration', (set) => {
  test('every identifier has an advisory that affects the version, and a proof', () => {
    for (const identifier of new Set(set.patches.flatMap(({ identifiers }) => identifiers))) {
      const known = advisories.filter((advisory) => namesOf(advisory).includes(identifier));
      const affecting = known.filter((advisory) => advisoryAffects(advisory, set.ecosystem, set.name, set.version));
      expect(affecting.length, `advisories of ${identifier}`).toBeGreaterThan(0);
      const names = affecting.flatMap(namesOf);
      expect(
        proofsOf(set).some((proof) => names.includes(path.parse(proof).name)),
        `a proof of ${identifier}`,
      ).toBe(true);
    }
  });

  test('every proof is of a vulnerability that a patch closes', () => {
    const identifiers = set.patches.flatMap((patch) => patch.identifiers);
    for (const proof of proofsOf(set)) expect(identifiers).toContain(path.parse(proof).name);
  });

  test('its exploits work on what was published and fail on what is sealed', async ({ expect }) => {
    const project = await createProject();
    await install(project, `${set.name}@${set.version}`);
    const proofs = proofsOf(set);
    expect(await runProofs(project, proofs)).toEqual(proofs.map((proof) => [path.basename(proof), 1]));

    const origin = await builder.fetchOrigin(set.name, set.version);
    const sealed = await build(set, origin);
    const again = await build(set, origin);
    expect(again.bytes.equals(sealed.bytes), 'the same bytes a second time').toBe(true);

    const file = path.join(project, sealed.fileName);
    await writeFile(file, sealed.bytes);
    await install(project, file);
    const manifest = JSON.parse(await readFile(path.join(project, 'node_modules', set.name, 'package.json'), 'utf8'));
    expect(manifest.version).toBe(sealedVersionOf('npm', set.version, set.iteration));
    expect(await runProofs(project, proofs)).toEqual(proofs.map((proof) => [path.basename(proof), 0]));
  });
});

async function readPatchSets(): Promise<PatchSet[]> {
  const read: PatchSet[] = [];
  for await (const set of readPatchFolder(path.join(catalogDir, 'patches'))) {
    if ('problem' in set) throw new Error(`${set.path}: ${set.problem}`);
    read.push(set);
  }
  return read;
}

async function readAllAdvisories(): Promise<Advisory[]> {
  const read: Advisory[] = [];
  for await (const source of readAdvisories({ path: path.join(catalogDir, 'advisories') })) {
    if ('problem' in source) throw new Error(`${source.name}: ${source.problem}`);
    read.push(source.record);
  }
  return read;
}

function namesOf({ id, aliases }: Advisory): string[] {
  return [id, ...aliases];
}

function proofsOf({ ecosystem, name, version }: PatchSet): string[] {
  const folder = path.join(catalogDir, 'proofs', ecosystem, name, version);
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .sort()
    .map((file) => path.join(folder, file));
}

async function createProject(): Promise<string> {
  const project = await mkdtemp(path.join(workDir, 'project-'));
  await writeFile(path.join(project, 'package.json'), '{"private":true}\n');
  return project;
}

async function install(project: string, what: string): Promise<void> {
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const installed = await runProgram('npm', ['install', what, ...flags], { cwd: project });
  if (installed.exitCode !== 0) throw new Error(`npm install ${what}: ${installed.stderr}`);
}

/** @returns name and exit status of each proof */
async function runProofs(project: string, proofs: readonly string[]): Promise<[string, number][]> {
  const statuses: [string, number][] = [];
  for (const proof of proofs) {
    const { exitCode } = await runProgram(process.execPath, [proof, project], { cwd: project });
    statuses.push([path.basename(proof), exitCode]);
  }
  return statuses;
}

async function build({ name, version, iteration, patches }: PatchSet, origin: OriginArtifact): Promise<SealedArtifact> {
  const result = await builder.build({ name, originVersion: version, iteration, patches, origin });
  if (result.kind === 'refused') throw new Error(`${name} ${version}: ${result.reason}`);
  return result.artifact;
}
