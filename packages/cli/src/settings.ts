import { basePath, projectNameSchema } from '@sealsmith/contract';
import { CliError } from './cli-error.ts';
import type { CliIo } from './cli-io.ts';

export interface Settings {
  /** Without the API's base path and without a trailing slash. */
  serverUrl: string;
  token: string;
}

const defaultUrl = 'http://127.0.0.1:8080';

/** Where the server is and what opens it. @throws CliError `usage` */
export function readSettings(env: CliIo['env']): Settings {
  return { serverUrl: readServerUrl(env.SEALSMITH_URL || defaultUrl), token: readToken(env) };
}

export function hasToken(env: CliIo['env']): boolean {
  return (env.SEALSMITH_TOKEN ?? '').trim() !== '';
}

interface ProjectSources {
  option: string | undefined;
  env: CliIo['env'];
  /** What to call it when nobody said: each is made valid, the first that leaves something is taken. */
  fallbacks: readonly (string | null)[];
}

/** @throws CliError `usage` for a name that was given and is not valid */
export function projectNameFrom({ option, env, fallbacks }: ProjectSources): string {
  const given = option ?? (env.SEALSMITH_PROJECT || undefined);
  if (given !== undefined) return checkedProjectName(given, option === undefined ? 'SEALSMITH_PROJECT' : '--project');
  for (const fallback of fallbacks) {
    const name = validProjectName(fallback ?? '');
    if (name !== null) return name;
  }
  throw new CliError('usage', 'The project has no name that can be used: name it with --project or SEALSMITH_PROJECT.');
}

function checkedProjectName(name: string, from: string): string {
  const { error } = projectNameSchema.safeParse(name);
  if (error) throw new CliError('usage', `The project name in ${from} ${error.issues[0]?.message ?? 'is not valid'}.`);
  return name;
}

/** `@acme/shop` becomes `acme-shop`. */
function validProjectName(text: string): string | null {
  const name = text
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^-+/, '')
    .slice(0, 255)
    .replace(/-+$/, '');
  return projectNameSchema.safeParse(name).success ? name : null;
}

function readServerUrl(text: string): string {
  const url = URL.parse(text.trim());
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new CliError('usage', `SEALSMITH_URL must be an http or https address such as ${defaultUrl}.`);
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new CliError(
      'usage',
      'SEALSMITH_URL must carry no credentials, query or fragment; the token goes into SEALSMITH_TOKEN.',
    );
  }
  const pathname = url.pathname.replace(/\/+$/, '');
  return url.origin + (pathname.endsWith(basePath) ? pathname.slice(0, -basePath.length) : pathname);
}

function readToken(env: CliIo['env']): string {
  const token = (env.SEALSMITH_TOKEN ?? '').trim();
  if (token === '') {
    throw new CliError(
      'usage',
      'SEALSMITH_TOKEN is not set. Ask the operator of the service for a token (sealsmith token create) and put it into that environment variable.',
    );
  }
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw new CliError('usage', 'SEALSMITH_TOKEN holds characters that no token has; set it again.');
  }
  return token;
}
