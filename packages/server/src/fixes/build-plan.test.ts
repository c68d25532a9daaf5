import { expect, test } from 'vitest';
import type { StoredPatchSet } from '../patches/stored-patch-set.ts';
import { type BuildFacts, hasPatches, type PublishedSeal, planBuild } from './build-plan.ts';
import { otherVulnerability, templatePatchSet, templateVersion, templateVulnerability } from './testing/catalog.ts';

const patchSet: StoredPatchSet = { ...templateVersion, iteration: 4, patches: templatePatchSet.patches, digest: 'd' };
const facts: BuildFacts = {
  patchSet,
  vulnerabilities: [templateVulnerability, otherVulnerability],
  newestSeal: null,
};
const everything = { ...templateVersion, requestedIdentifiers: [] };

test('the first seal is iteration 1, whatever the iteration of the patch set', () => {
  expect(planBuild(everything, facts)).toMatchObject({ kind: 'build', iteration: 1 });
});

test('the next seal counts on from the newest one that is published', () => {
  expect(planBuild(everything, { ...facts, newestSeal: seal(12) })).toMatchObject({ kind: 'build', iteration: 13 });
});

test('without patches the reason names the version', () => {
  expect(planBuild(everything, { ...facts, patchSet: null })).toEqual({
    kind: 'refused',
    reason: 'The catalog has no patches for plain-template 1.4.2.',
  });
});

test('patches that close nothing known of the version are refused', () => {
  const plan = planBuild(everything, { ...facts, vulnerabilities: [otherVulnerability] });
  expect(plan).toMatchObject({ kind: 'refused', reason: expect.stringContaining('close no vulnerability') });
});

test('what was asked for by name must be closed, by whichever alias it was asked for', () => {
  const asked = (...requestedIdentifiers: string[]) => planBuild({ ...everything, requestedIdentifiers }, facts);
  expect(asked('cve-2026-1000')).toMatchObject({ kind: 'build' });
  expect(asked('CVE-2026-1000', 'CVE-2026-2000')).toEqual({
    kind: 'refused',
    reason: 'The patches in the catalog for plain-template 1.4.2 do not close CVE-2026-2000.',
  });
});

test('an iteration never leaves out what the one before it closes', () => {
  const newestSeal = seal(1, [{ fileName: '0001.patch', text: 't', identifiers: ['CVE-2025-5'] }]);
  const plan = planBuild(everything, { ...facts, newestSeal });
  expect(plan).toMatchObject({
    kind: 'refused',
    reason: expect.stringContaining('leave out CVE-2025-5, which 1.4.2-sp1'),
  });
});

test('a seal has the same patches only when names, texts and order are the same', () => {
  const [one, two] = [
    { fileName: '1.patch', text: 'a', identifiers: [] },
    { fileName: '2.patch', text: 'b', identifiers: [] },
  ];
  expect(hasPatches(seal(1, [one, two]), [one, two])).toBe(true);
  expect(hasPatches(seal(1, [one, two]), [two, one])).toBe(false);
  expect(hasPatches(seal(1, [one, two]), [one])).toBe(false);
  expect(hasPatches(seal(1, [one]), [one, two])).toBe(false);
  expect(hasPatches(seal(1, [one]), [{ ...one, text: 'A' }])).toBe(false);
});

function seal(iteration: number, patches: PublishedSeal['patches'] = []): PublishedSeal {
  return {
    ...templateVersion,
    iteration,
    sealedVersion: `1.4.2-sp${iteration}`,
    fixId: 'f',
    fileName: 'plain-template.tgz',
    sha256: '',
    shasum: '',
    integrity: '',
    sizeBytes: 1,
    closedIdentifiers: [],
    publishedOn: '2026-11-21T12:00:00.000Z',
    manifest: {},
    patches,
  };
}
