import { plainTemplatePatch } from '../../../../../tests/support/plain-template.ts';
import type { PatchSet } from '../../patches/patch-set.ts';
import type { Caller } from '../../platform/tenancy.ts';
import { tenantScope } from '../../platform/tenancy.ts';
import { parseOsvRecord } from '../../vulnerabilities/osv-record.ts';
import type { FindVulnerabilities, KnownVulnerability } from '../../vulnerabilities/vulnerability.ts';

/** Two tenants whose names, packages and fixes look the same. */
export const acme = tenantScope(1);
export const lookAlike = tenantScope(2);

export function callerOf(tenantId: number): Caller {
  return { ...tenantScope(tenantId), tokenId: `token-${tenantId}`, role: 'production', scopes: new Set(['fixes']) };
}

/** A clock that only tests move. */
export function createTestClock(start = '2026-11-21T12:00:00.000Z') {
  let ms = Date.parse(start);
  return {
    now: () => new Date(ms),
    advance: (byMs: number) => {
      ms += byMs;
    },
  };
}

export const templateVersion = { ecosystem: 'npm', packageName: 'plain-template', originVersion: '1.4.2' } as const;

/** What the vulnerable version ships. */
export const templateFiles = {
  'package.json': `${JSON.stringify({ name: 'plain-template', version: '1.4.2', main: 'index.js' }, null, 2)}\n`,
  'index.js': `'use strict';\n\nmodule.exports = function render(template, values) {\n  return template.replace(/\\{(\\w+)\\}/g, (all, key) => values[key]);\n};\n`,
};

/** Closes CVE-2026-1000, which the advisory also knows as GHSA-2222-3333-4444. */
export const templatePatch = plainTemplatePatch;

export const templatePatchSet: PatchSet = {
  ecosystem: 'npm',
  name: 'plain-template',
  version: '1.4.2',
  iteration: 1,
  readme: null,
  patches: [
    {
      fileName: '0001-CVE-2026-1000.patch',
      sequence: 1,
      text: templatePatch,
      identifiers: ['GHSA-2222-3333-4444'],
    },
  ],
};

export const templateAdvisory = parseOsvRecord({
  id: 'GHSA-2222-3333-4444',
  modified: '2026-11-01T00:00:00Z',
  published: '2026-10-01T00:00:00Z',
  aliases: ['CVE-2026-1000'],
  summary: 'Templates read inherited properties',
  details: 'A template that names `constructor` reads what the values inherit.',
  severity: [{ type: 'CVSS_V3', score: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N' }],
  affected: [
    {
      package: { ecosystem: 'npm', name: 'plain-template' },
      ranges: [{ type: 'SEMVER', events: [{ introduced: '0' }, { fixed: '2.0.0' }] }],
    },
  ],
});

export const templateVulnerability: KnownVulnerability = {
  identifier: 'CVE-2026-1000',
  aliases: ['GHSA-2222-3333-4444'],
  severity: 'high',
  cvssScore: 7.5,
  advisories: [templateAdvisory],
};

/** A second one of the same version, which no patch closes. */
export const otherVulnerability: KnownVulnerability = {
  identifier: 'CVE-2026-2000',
  aliases: ['GHSA-5555-6666-7777'],
  severity: 'low',
  cvssScore: null,
  advisories: [],
};

/** The same vulnerabilities for every version of `plain-template`, and none for anything else. */
export function vulnerabilitiesOfTemplate(...known: KnownVulnerability[]): FindVulnerabilities {
  return async (_db, _scope, packages) =>
    packages.map(({ packageName }) => (packageName === 'plain-template' ? known : []));
}
