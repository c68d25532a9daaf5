const versionShape = /^[0-9A-Za-z.+-]{1,256}$/;

/** `@scope/name` 1.2.3 → `name-1.2.3.tgz`; null when the version has characters that no version of npm has. */
export function tarballName(name: string, version: string): string | null {
  return versionShape.test(version) ? `${unscoped(name)}-${version}.tgz` : null;
}

/** The version of which this is the tarball; null for any other file name. */
export function versionOfFile(name: string, fileName: string): string | null {
  const start = `${unscoped(name)}-`;
  if (!fileName.startsWith(start) || !fileName.endsWith('.tgz')) return null;
  const version = fileName.slice(start.length, -'.tgz'.length);
  return versionShape.test(version) ? version : null;
}

function unscoped(name: string): string {
  return name.slice(name.indexOf('/') + 1);
}
