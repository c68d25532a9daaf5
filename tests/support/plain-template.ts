import { type Fix, fixSchema } from '@sealsmith/contract';
import { expect, vi } from 'vitest';
import type { Api } from './api-client.ts';
import type { NpmUpstream } from './npm-upstream.ts';

/** A small package of ours with a vulnerability, its advisory and the patch that closes it. */
export const plainTemplate = {
  name: 'plain-template',
  vulnerable: '1.4.2',
  sealed: '1.4.2-sp1',
  cve: 'CVE-2026-1000',
  ghsa: 'GHSA-2222-3333-4444',
} as const;

const code = `'use strict';

module.exports = function render(template, values) {
  return template.replace(/\\{(\\w+)\\}/g, (all, key) => values[key]);
};
`;

export const plainTemplatePatch = `From 1111111111111111111111111111111111111111 Mon Sep 17 00:00:00 2001
From: Maintainer <maintainer@example.org>
Date: Sat, 21 Nov 2026 10:00:00 +0000
Subject: [PATCH] Read own properties only

This patch fixes:
- ${plainTemplate.ghsa}

---
 index.js | 2 +-
 1 file changed, 1 insertion(+), 1 deletion(-)

diff --git a/index.js b/index.js
--- a/index.js
+++ b/index.js
@@ -1,5 +1,5 @@
 'use strict';
${' '}
 module.exports = function render(template, values) {
-  return template.replace(/\\{(\\w+)\\}/g, (all, key) => values[key]);
+  return template.replace(/\\{(\\w+)\\}/g, (all, key) => (Object.hasOwn(values, key) ? values[key] : all));
 };
`;

/** An OSV record for an npm package, vulnerable below `fixed`. */
export function osvRecord(id: string, packageName: string, { aliases = [] as string[], fixed = '2.0.0' } = {}) {
  return {
    id,
    modified: '2026-11-01T00:00:00Z',
    aliases,
    summary: 'Inherited properties can be read',
    severity: [{ type: 'CVSS_V3', score: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N' }],
    affected: [
      {
        package: { ecosystem: 'npm', name: packageName },
        ranges: [{ type: 'SEMVER', events: [{ introduced: '0' }, { fixed }] }],
      },
    ],
  };
}

export const plainTemplateAdvisory = osvRecord(plainTemplate.ghsa, plainTemplate.name, {
  aliases: [plainTemplate.cve],
});

export const plainTemplatePatchSet = {
  ecosystem: 'NPM',
  package_name: plainTemplate.name,
  package_version: plainTemplate.vulnerable,
  iteration: 1,
  readme: null,
  patches: [{ file_name: `0001-${plainTemplate.cve}.patch`, text: plainTemplatePatch }],
};

export const plainTemplateFix = {
  ecosystem: 'NPM',
  package_name: plainTemplate.name,
  vulnerable_version: plainTemplate.vulnerable,
};

export function publishPlainTemplate(upstream: NpmUpstream): Promise<void> {
  return upstream.publish(plainTemplate.name, {
    '1.0.0': { 'index.js': code },
    [plainTemplate.vulnerable]: { 'index.js': code },
    '2.0.0': { 'index.js': "'use strict';\n" },
  });
}

/** Lets the tenant know the advisory, and the patch if it shall be able to seal. */
export async function importPlainTemplate(api: Api, { hasPatch = true } = {}): Promise<void> {
  const advisories = await api('POST', '/advisories/import', { body: plainTemplateAdvisory });
  expect(advisories.json).toMatchObject({ imported: 1, problems: [] });
  if (!hasPatch) return;
  const patches = await api('POST', '/patches/import', { body: { patch_sets: [plainTemplatePatchSet] } });
  expect(patches.json).toMatchObject({ imported: 1, problems: [] });
}

/** Asks for the fix and waits until it has ended. */
export async function sealPlainTemplate(api: Api): Promise<Fix> {
  const { id } = fixSchema.parse((await api('POST', '/generate-fix', { body: plainTemplateFix })).json);
  return fixWhenEnded(api, id);
}

export function fixWhenEnded(api: Api, id: string): Promise<Fix> {
  const look = async () => {
    const fix = fixSchema.parse((await api('GET', `/fixes/${id}`)).json);
    if (fix.status === 'queued' || fix.status === 'building') throw new Error(`the fix is still ${fix.status}`);
    return fix;
  };
  return vi.waitFor(look, { timeout: 20_000, interval: 20 });
}
