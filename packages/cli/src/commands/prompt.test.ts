import { expect, test } from 'vitest';
import { startContractServer } from '../testing/contract-server.ts';
import { run } from '../testing/run.ts';

const args = ['prompt', 'ejs', '2.7.4', 'CVE-2022-29078'];
const prompt = 'Judge this patch:\r\n--- a\n+++ b\u001b[0m\n';

test('a pipe gets the prompt byte for byte, a terminal without control characters', async () => {
  await using server = await startContractServer({ getValidationPrompt: () => ({ status: 200, body: prompt }) });
  expect(await run(args, { url: server.url })).toMatchObject({ code: 0, stdout: prompt, stderr: '' });
  const { stdout } = await run(args, { url: server.url, isTTY: true });
  expect(stdout).toBe('Judge this patch:\\u000d\n--- a\n+++ b\\u001b[0m\n');
});

test('--json has it as a string', async () => {
  await using server = await startContractServer({ getValidationPrompt: () => ({ status: 200, body: prompt }) });
  const { stdout } = await run([...args, '--json', '--ecosystem', 'npm'], { url: server.url });
  expect(JSON.parse(stdout)).toEqual({
    ecosystem: 'NPM',
    package_name: 'ejs',
    vulnerable_version: '2.7.4',
    vulnerability_identifier: 'CVE-2022-29078',
    prompt,
  });
});

test('what is missing is told: exit code 1', async () => {
  const detail = 'There is no sealed version of ejs 2.7.4.';
  await using server = await startContractServer({
    getValidationPrompt: () => ({ code: 'sealed_version_not_found', detail }),
  });
  expect(await run(args, { url: server.url })).toMatchObject({ code: 1, stdout: '', stderr: `sealsmith: ${detail}\n` });
});
