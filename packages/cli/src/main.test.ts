import { spawn } from 'node:child_process';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { startContractServer, testToken } from './testing/contract-server.ts';
import { sampleRule } from './testing/samples.ts';

const main = path.join(import.meta.dirname, 'main.ts');

function start(args: readonly string[], url: string) {
  const env = { PATH: process.env.PATH ?? '', SEALSMITH_URL: url, SEALSMITH_TOKEN: testToken };
  return spawn(process.execPath, [main, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
}

function exitOf(child: ReturnType<typeof start>): Promise<number | null> {
  return new Promise((resolve) => child.on('close', resolve));
}

test('as a program: the result on stdout, the exit code of the command', async () => {
  await using server = await startContractServer({
    listSealingRules: () => ({ status: 200, body: { items: [sampleRule()], next_page: null } }),
  });
  const child = start(['rules', 'list', '--json'], server.url);
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), exitOf(child)]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(JSON.parse(stdout)).toEqual({ items: [sampleRule()] });
});

test('a reader that stops reading does not make it fail', async () => {
  const items = Array.from({ length: 100 }, () => sampleRule({ vulnerable_package_name: 'x'.repeat(50_000) }));
  await using server = await startContractServer({
    listSealingRules: () => ({ status: 200, body: { items, next_page: null } }),
  });
  const child = start(['rules', 'list'], server.url);
  child.stdout.once('data', () => child.stdout.destroy());
  const [stderr, code] = await Promise.all([text(child.stderr), exitOf(child)]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
});
