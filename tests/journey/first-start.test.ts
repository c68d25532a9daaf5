import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { basePath } from '@sealsmith/contract';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { repositoryDir, startServiceProcess } from '../support/running-service.ts';
import { runProgram } from './steps.ts';

const main = path.join(repositoryDir, 'packages/server/src/main.ts');
/** Everything that a user sees by default, with the catalog, and no registry to ask. */
const env = { SEALSMITH_LOG_LEVEL: 'trace', SEALSMITH_UPSTREAM_NPM: 'none' };

let dataDir: string;

beforeEach(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), 'sealsmith-first-start-'));
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

const serve = (more: Record<string, string>) =>
  runProgram(process.execPath, [main, 'serve'], {
    cwd: dataDir,
    env: { ...env, SEALSMITH_PORT: '0', SEALSMITH_DATA_DIR: dataDir, ...more },
  });

const passwordIn = (stdout: string) => /^\s*Password:\s+(\S+)$/m.exec(stdout)?.[1];

test('a first start prints URL, token and password once, on standard output alone', async () => {
  const first = await startServiceProcess({ dataDir, env });
  const password = passwordIn(first.stdout());
  expect(first.stdout()).toContain(`Sealsmith serves at ${first.url}`);
  const { token } = first;
  if (token === null || password === undefined) throw new Error(`the first start printed:\n${first.stdout()}`);
  const headers = { authorization: `Bearer ${token}` };
  expect((await fetch(`${first.url}${basePath}/sealing-rules`, { headers })).status).toBe(200);
  expect((await fetch(`${first.url}${basePath}/sealing-rules?token=${token}`, { headers })).status).toBe(422);
  expect(await first.terminate()).toBe(0);

  const second = await startServiceProcess({ dataDir, env });
  expect(second.token).toBeNull();
  expect(second.stdout()).toBe(`Sealsmith serves at ${second.url}`);
  expect((await fetch(`${second.url}${basePath}/sealing-rules`, { headers })).status).toBe(200);
  expect(await second.terminate()).toBe(0);

  for (const log of [first.stderr(), second.stderr()]) {
    expect(log).toContain('the catalog is loaded');
    expect(log).not.toContain('ssm_');
    expect(log).not.toContain(password);
  }
});

test('a first start that fails leaves the secrets to the next one', async () => {
  const holder = createServer().listen(0, '127.0.0.1');
  await once(holder, 'listening');
  try {
    const { port } = holder.address() as { port: number };
    const refused = await serve({ SEALSMITH_PORT: String(port) });
    expect(refused).toMatchObject({ exitCode: 3, stdout: '' });
    expect(refused.stderr).toContain('EADDRINUSE');
  } finally {
    holder.close();
  }
  const next = await startServiceProcess({ dataDir, env });
  expect(next.token).not.toBeNull();
  expect(passwordIn(next.stdout())).toBeDefined();
  expect(await next.terminate()).toBe(0);
});

test('every mistake of the configuration is named at once, and nothing is started', async () => {
  const ended = await serve({ SEALSMITH_PORT: 'eighty', SEALSMITH_ROLES: 'api,baker' });
  expect(ended).toMatchObject({ exitCode: 2, stdout: '' });
  expect(ended.stderr).toContain('SEALSMITH_PORT must be');
  expect(ended.stderr).toContain('SEALSMITH_ROLES must be');
});
