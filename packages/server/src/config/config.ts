import path from 'node:path';
import { z } from 'zod';
import { type DatabaseConfig, sqliteFileIn } from '../database/open.ts';
import { type LogLevel, logLevels } from '../platform/logger.ts';
import { type Environment, type EnvironmentVariable, environmentVariables } from './environment.ts';

export const roles = ['api', 'artifacts', 'worker'] as const;
export type Role = (typeof roles)[number];

export interface Config {
  listen: { host: string; port: number };
  /** Without a trailing slash; null: as each request names it. */
  publicUrl: string | null;
  dataDir: string;
  database: DatabaseConfig;
  roles: ReadonlySet<Role>;
  upstreams: { npm: UpstreamConfig };
  /** null: nothing is loaded. */
  catalogDir: string | null;
  cacheBytesMax: number;
  /** How long a build may go without a sign of life before a worker takes it over. */
  buildLeaseMs: number;
  /** Requests a minute and token; null: unlimited. */
  rateLimit: number | null;
  logLevel: LogLevel;
  /** Variables with our prefix that mean nothing: most likely misspelt. */
  unknownVariables: string[];
}

/** `configured-on-machine`: what the machine's package manager uses. */
export interface UpstreamConfig {
  source: { kind: 'url'; url: URL } | { kind: 'configured-on-machine' } | { kind: 'none' };
  token: string | null;
  tarballOrigins: string[];
}

/** Every mistake of a configuration, so that all are mended in one go. */
export class ConfigError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(
      `The configuration has ${problems.length} mistake(s):\n${problems.map((problem) => `  ${problem}`).join('\n')}`,
    );
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

/** @throws ConfigError with every mistake */
export function readConfig(environment: Environment, starterCatalogDir: string): Config {
  const reader = createReader(environment);
  const dataDir = path.resolve(reader.text('SEALSMITH_DATA_DIR'));
  const config: Config = {
    listen: { host: reader.text('SEALSMITH_HOST'), port: reader.integer('SEALSMITH_PORT', 0, 65_535) },
    publicUrl: reader.url('SEALSMITH_PUBLIC_URL', ['http:', 'https:'])?.href.replace(/\/$/, '') ?? null,
    dataDir,
    database: databaseConfig(reader, dataDir),
    roles: new Set(reader.list('SEALSMITH_ROLES', roles)),
    upstreams: { npm: npmUpstream(reader) },
    catalogDir: catalogDir(reader.text('SEALSMITH_CATALOG_DIR'), starterCatalogDir),
    cacheBytesMax: reader.integer('SEALSMITH_CACHE_BYTES_MAX', 0, Number.MAX_SAFE_INTEGER),
    buildLeaseMs: reader.integer('SEALSMITH_BUILD_LEASE_SECONDS', 1, 3_600) * 1_000,
    rateLimit: reader.integer('SEALSMITH_RATE_LIMIT', 0, 1_000_000) || null,
    logLevel: reader.oneOf('SEALSMITH_LOG_LEVEL', logLevels),
    unknownVariables: Object.keys(environment).filter((name) => name.startsWith('SEALSMITH_') && !isKnown(name)),
  };
  reader.finish();
  return config;
}

type Reader = ReturnType<typeof createReader>;

/** Reads single variables, collecting mistakes. */
function createReader(environment: Environment) {
  const problems: string[] = [];
  const text = (name: EnvironmentVariable) => environment[name] || environmentVariables[name].default;
  const report = (name: EnvironmentVariable, must: string) => void problems.push(`${name} must be ${must}`);
  const oneOf = <Value extends string>(name: EnvironmentVariable, values: readonly Value[]): Value => {
    const found = values.find((value) => value === text(name));
    if (found === undefined) report(name, `one of ${values.join(', ')}`);
    return found ?? (values[0] as Value);
  };
  return {
    text,
    oneOf,
    integer: (name: EnvironmentVariable, min: number, max: number): number => {
      const parsed = z.coerce.number().int().min(min).max(max).safeParse(text(name));
      if (!parsed.success) report(name, `an integer from ${min} to ${max}`);
      return parsed.data ?? min;
    },
    url: (name: EnvironmentVariable, protocols: readonly string[]): URL | null => {
      if (text(name) === '') return null;
      const url = URL.parse(text(name));
      if (url && protocols.includes(url.protocol)) return url;
      report(name, `a URL that starts with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`);
      return null;
    },
    list: <Value extends string>(name: EnvironmentVariable, values: readonly Value[]): Value[] => {
      const given = text(name)
        .split(',')
        .map((part) => part.trim());
      const wrong = given.filter((part) => !values.some((value) => value === part));
      if (wrong.length > 0) report(name, `a list of ${values.join(', ')}`);
      return values.filter((value) => given.includes(value));
    },
    report,
    finish: () => {
      if (problems.length > 0) throw new ConfigError(problems);
    },
  };
}

/** Variables of the command line, which shares the prefix. */
const commandLineVariables = ['SEALSMITH_URL', 'SEALSMITH_TOKEN', 'SEALSMITH_PROJECT'];

function isKnown(name: string): boolean {
  return Object.hasOwn(environmentVariables, name) || commandLineVariables.includes(name);
}

function databaseConfig(reader: Reader, dataDir: string): DatabaseConfig {
  const url = reader.url('SEALSMITH_DATABASE_URL', ['postgres:', 'postgresql:']);
  return url ? { kind: 'postgres', url: url.href } : { kind: 'sqlite', file: sqliteFileIn(dataDir) };
}

function npmUpstream(reader: Reader): UpstreamConfig {
  const isNone = reader.text('SEALSMITH_UPSTREAM_NPM') === 'none';
  const url = isNone ? null : reader.url('SEALSMITH_UPSTREAM_NPM', ['http:', 'https:']);
  if (url && (url.username !== '' || url.password !== ''))
    reader.report(
      'SEALSMITH_UPSTREAM_NPM',
      'a URL without credentials; a token goes into SEALSMITH_UPSTREAM_NPM_TOKEN',
    );
  const origins = reader
    .text('SEALSMITH_UPSTREAM_NPM_TARBALL_ORIGINS')
    .split(',')
    .filter(Boolean)
    .map((part) => part.trim());
  for (const origin of origins) {
    if (URL.parse(origin)?.origin !== origin)
      reader.report('SEALSMITH_UPSTREAM_NPM_TARBALL_ORIGINS', 'a list of origins');
  }
  const otherwise = isNone ? ({ kind: 'none' } as const) : ({ kind: 'configured-on-machine' } as const);
  return {
    source: url ? { kind: 'url', url } : otherwise,
    token: reader.text('SEALSMITH_UPSTREAM_NPM_TOKEN') || null,
    tarballOrigins: origins,
  };
}

function catalogDir(text: string, starterCatalogDir: string): string | null {
  if (text === 'none') return null;
  return text === '' ? starterCatalogDir : path.resolve(text);
}
