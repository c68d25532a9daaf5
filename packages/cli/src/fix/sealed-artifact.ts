import type { LockedPackage, LockRedirection } from '@sealsmith/ecosystems';
import { CliError } from '../cli-error.ts';

const repositoryPath = '/artifacts/npm/';

/** The npm repository of the service, with a slash at the end. */
export function repositoryUrl(serverUrl: string): string {
  return `${serverUrl}${repositoryPath}`;
}

/** The repository that an artifact's address lies in, which may be reached by another host than the API. */
export function repositoryOf(artifactUrl: string, serverUrl: string): string {
  const end = artifactUrl.indexOf(repositoryPath);
  return end === -1 ? repositoryUrl(serverUrl) : artifactUrl.slice(0, end + repositoryPath.length);
}

/** The repository serves origin artifacts too: those have the plain name that npm gives them. */
export function isSealedArtifact(
  { resolved, name, version }: Pick<LockedPackage, 'resolved' | 'name' | 'version'>,
  serverUrl: string,
): boolean {
  if (resolved === null || !resolved.startsWith(repositoryUrl(serverUrl))) return false;
  const originFileName = `${name.replace(/^@[^/]*\//, '')}-${version}.tgz`;
  return !resolved.replace(/[?#].*$/s, '').endsWith(`/${originFileName}`);
}

/** What goes into a lockfile is checked first, whoever says it. @throws CliError `server` */
export function assertServable({ resolved, integrity }: LockRedirection): void {
  const url = URL.parse(resolved);
  const isPlainAddress = url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
  if (!isPlainAddress || !/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity)) {
    throw new CliError('server', 'The server names a sealed artifact without a plain address and a sha512 integrity.');
  }
}
