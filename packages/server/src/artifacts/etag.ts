/** Whether an `If-None-Match` header names the tag; weak and strong tags compare alike there (RFC 9110, 13.1.2). */
export function isNoneMatch(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === '*') return true;
  return header.split(',').some((tag) => opaqueOf(tag) === opaqueOf(etag));
}

function opaqueOf(tag: string): string {
  return tag.trim().replace(/^W\//, '');
}
