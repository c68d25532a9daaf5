import { identifierKey } from './identifiers.ts';

/** Whether one of the identifiers is a name of the vulnerability. */
export function isClosedBy(
  identifiers: readonly string[],
  { identifier, aliases }: { identifier: string; aliases: readonly string[] },
): boolean {
  const names = new Set([identifier, ...aliases].map(identifierKey));
  return identifiers.some((closed) => names.has(identifierKey(closed)));
}
