import { expect, test } from 'vitest';
import { startContractServer } from '../testing/contract-server.ts';
import { run } from '../testing/run.ts';
import { samplePackage, sampleVulnerability } from '../testing/samples.ts';

test.each([
  [['packages'], {}],
  [['vulnerable', 'list'], {}],
  [['packages', '--project-filter', 'shop'], { project_name_filter: 'shop' }],
  [
    ['packages', 'list', '--package-filter', 'ej', '--ecosystem', 'npm', '--fix-availability', 'sealed'],
    { package_name_contains: 'ej', ecosystem: 'NPM', fix_availability: 'sealed' },
  ],
  [['packages', 'list', '--hidden', '--role', 'development'], { is_hidden: 'true', access_token_role: 'development' }],
])('%j asks with these filters', async (args, filters) => {
  const item = samplePackage({
    vulnerabilities: [sampleVulnerability(), sampleVulnerability({ identifier: 'GHSA-x', state: 'sealed' })],
  });
  await using server = await startContractServer({
    listVulnerablePackages: () => ({ status: 200, body: { items: [item], next_page: null } }),
  });
  const { code, stdout } = await run(args, { url: server.url });
  expect(code).toBe(0);
  expect(stdout).toContain('CVE-2022-29078 (critical), GHSA-x (critical, sealed)');
  expect(server.received[0]?.query).toEqual({
    is_hidden: 'false',
    access_token_role: 'production',
    limit: '100',
    ...filters,
  });
});
