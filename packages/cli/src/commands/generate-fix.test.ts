import type { FixStatus } from '@sealsmith/contract';
import { expect, test } from 'vitest';
import { startContractServer } from '../testing/contract-server.ts';
import { run } from '../testing/run.ts';
import { sampleFix } from '../testing/samples.ts';

function serverWith(statuses: FixStatus[], reason: string | null = null) {
  return startContractServer({
    generateFix: () => ({ status: 202, body: sampleFix() }),
    getFix: () => ({ status: 200, body: sampleFix({ status: statuses.shift() ?? 'building', reason }) }),
  });
}

test('without --wait it is done when the service has accepted', async () => {
  await using server = await serverWith([]);
  const args = ['generate-fix', 'ejs', '2.7.4', '--vulnerability', 'CVE-1', '--vulnerability', 'GHSA-2', '--json'];
  const { code, stdout } = await run(args, { url: server.url });
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toEqual(sampleFix());
  expect(server.received.map(({ body }) => body)).toEqual([
    {
      ecosystem: 'NPM',
      package_name: 'ejs',
      vulnerable_version: '2.7.4',
      vulnerability_identifiers: ['CVE-1', 'GHSA-2'],
    },
  ]);
});

test.each([
  ['succeeded', 0],
  ['unfixable', 1],
  ['failed', 1],
  ['needs_review', 1],
] as const)('--wait asks until it is %s: exit code %i', async (status, exitCode) => {
  await using server = await serverWith(['queued', 'building', status], 'This is why.');
  const { code, stdout, sleptMs } = await run(['generate-fix', 'ejs', '2.7.4', '--wait'], { url: server.url });
  expect(code).toBe(exitCode);
  expect(stdout).toContain(`ejs 2.7.4 (NPM): ${status}`);
  expect(stdout).toContain('This is why.');
  expect(sleptMs).toEqual([...sleptMs].sort((a, b) => a - b));
  expect(new Set(sleptMs).size).toBe(3);
});

test('--timeout ends the wait, and says that the fix goes on', async () => {
  await using server = await serverWith([]);
  const { code, stderr, sleptMs } = await run(['generate-fix', 'ejs', '2.7.4', '--wait', '--timeout', '20'], {
    url: server.url,
  });
  expect(code).toBe(3);
  expect(stderr).toContain('fix_1 is still building after 20 seconds');
  expect(sleptMs.reduce((sum, ms) => sum + ms)).toBe(20_000);
});

test('a package that nothing is known against: exit code 1 with the detail', async () => {
  await using server = await startContractServer({
    generateFix: () => ({ code: 'not_vulnerable', detail: 'Nothing is known against ejs 9.9.9.' }),
  });
  expect(await run(['generate-fix', 'ejs', '9.9.9'], { url: server.url })).toMatchObject({
    code: 1,
    stderr: 'sealsmith: Nothing is known against ejs 9.9.9.\n',
  });
});
