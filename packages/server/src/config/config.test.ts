import path from 'node:path';
import { expect, test } from 'vitest';
import { ConfigError, readConfig } from './config.ts';
import { environmentVariables } from './environment.ts';

const read = (environment: Record<string, string>) => readConfig(environment, '/starter');

function problemsOf(environment: Record<string, string>): readonly string[] {
  try {
    read(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

test('without any variable the service listens on this machine only, over SQLite in the data folder', () => {
  const dataDir = path.resolve('data');
  expect(read({})).toMatchObject({
    listen: { host: '127.0.0.1', port: 8080 },
    publicUrl: null,
    dataDir,
    database: { kind: 'sqlite', file: path.join(dataDir, 'sealsmith.sqlite') },
    roles: new Set(['api', 'artifacts', 'worker']),
    upstreams: { npm: { source: { kind: 'configured-on-machine' }, token: null, tarballOrigins: [] } },
    catalogDir: '/starter',
    rateLimit: 1200,
    logLevel: 'info',
    unknownVariables: [],
  });
});

test('an empty variable is one that is not set', () => {
  const empty = Object.fromEntries(Object.keys(environmentVariables).map((name) => [name, '']));
  expect(read(empty)).toEqual(read({}));
});

test('each variable decides what it says', () => {
  const config = read({
    SEALSMITH_PORT: '0',
    SEALSMITH_HOST: '0.0.0.0',
    SEALSMITH_PUBLIC_URL: 'https://seal.example/base/',
    SEALSMITH_DATA_DIR: '/var/lib/sealsmith',
    SEALSMITH_DATABASE_URL: 'postgres://user:secret@db.example/seal',
    SEALSMITH_ROLES: 'worker, api',
    SEALSMITH_UPSTREAM_NPM: 'https://npm.example/mirror',
    SEALSMITH_UPSTREAM_NPM_TOKEN: 'secret',
    SEALSMITH_UPSTREAM_NPM_TARBALL_ORIGINS: 'https://cdn.example, https://cdn2.example:8443',
    SEALSMITH_CATALOG_DIR: 'none',
    SEALSMITH_RATE_LIMIT: '0',
    SEALSMITH_LOG_LEVEL: 'debug',
  });
  expect(config).toMatchObject({
    listen: { host: '0.0.0.0', port: 0 },
    publicUrl: 'https://seal.example/base',
    dataDir: '/var/lib/sealsmith',
    database: { kind: 'postgres', url: 'postgres://user:secret@db.example/seal' },
    roles: new Set(['api', 'worker']),
    upstreams: {
      npm: {
        source: { kind: 'url', url: new URL('https://npm.example/mirror') },
        token: 'secret',
        tarballOrigins: ['https://cdn.example', 'https://cdn2.example:8443'],
      },
    },
    catalogDir: null,
    rateLimit: null,
    logLevel: 'debug',
  });
});

test('no upstream is said in a word', () => {
  expect(read({ SEALSMITH_UPSTREAM_NPM: 'none' }).upstreams.npm.source).toEqual({ kind: 'none' });
});

const mistakes: Record<string, string[]> = {
  SEALSMITH_PORT: ['65536', '-1', 'http', '80.5'],
  SEALSMITH_PUBLIC_URL: ['seal.example', 'ftp://seal.example', 'javascript:1'],
  SEALSMITH_DATABASE_URL: ['mysql://db', 'db.sqlite'],
  SEALSMITH_ROLES: ['api,web', 'API', 'api,'],
  SEALSMITH_UPSTREAM_NPM: ['npm.example', 'file:///etc', 'https://user:secret@npm.example'],
  SEALSMITH_UPSTREAM_NPM_TARBALL_ORIGINS: ['https://cdn.example/path', 'cdn.example'],
  SEALSMITH_CACHE_BYTES_MAX: ['10G', '-1'],
  SEALSMITH_RATE_LIMIT: ['-1', 'many', '1000001'],
  SEALSMITH_LOG_LEVEL: ['verbose', 'INFO'],
};

test.each(Object.entries(mistakes).flatMap(([name, values]) => values.map((value) => [name, value] as const)))(
  '%s=%s is a mistake that names the variable',
  (name, value) => {
    const problems = problemsOf({ [name]: value });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(new RegExp(`^${name} must be `));
  },
);

test('all mistakes are told at once', () => {
  const environment = Object.fromEntries(Object.entries(mistakes).map(([name, [value = '']]) => [name, value]));
  const problems = problemsOf(environment);
  expect(problems.map((problem) => problem.split(' ')[0]).sort()).toEqual(Object.keys(mistakes).sort());
});

test('a mistake does not repeat what may be a secret', () => {
  const problems = problemsOf({ SEALSMITH_DATABASE_URL: 'mysql://user:hunter2@db' });
  expect(problems.join()).not.toContain('hunter2');
});

test('a misspelt variable is noticed; those of others and of the command line are not', () => {
  const config = read({ SEALSMITH_PROT: '1', SEALSMITH_TOKEN: 't', SEALSMITH_URL: 'u', PATH: '/bin' });
  expect(config.unknownVariables).toEqual(['SEALSMITH_PROT']);
});
