import type { FilePatch, Hunk } from './patch-file.ts';

const housekeepingBlocks = new Set(['devDependencies', 'scripts']);
// Package managers run these on the machines of those who install the package.
const installScript = /"(?:pre|post)?install"|"prepare"/;
const blockStart = /^\s+"([^"]+)"\s*:\s*\{\s*$/;

/**
 * Whether a patch changes a `package.json` only where nobody who installs the package sees it: its version, which the
 * builder sets, its development dependencies and its scripts. What cannot be told from the hunks counts as seen.
 */
export function touchesHousekeepingOnly({ hunks }: FilePatch): boolean {
  return hunks.length > 0 && hunks.every(isHousekeepingHunk);
}

function isHousekeepingHunk({ lines }: Hunk): boolean {
  const indents = lines.map(({ text }) => indentOf(text)).filter((indent) => indent > 0);
  const topLevelIndent = Math.min(...indents);
  let block: string | null = null;
  for (const { kind, text } of lines) {
    const isTopLevel = indentOf(text) === topLevelIndent;
    const isBlockEnd = isTopLevel && /^\s+\}/.test(text);
    if (isTopLevel && !isBlockEnd) block = blockStart.exec(text)?.[1] ?? null;
    if (kind !== 'context' && !isHousekeepingLine(text, block)) return false;
    if (isBlockEnd) block = null;
  }
  return true;
}

function indentOf(text: string): number {
  return /^\s*/.exec(text)?.[0].length ?? 0;
}

function isHousekeepingLine(text: string, block: string | null): boolean {
  if (installScript.test(text)) return false;
  return /^\s*"version"\s*:/.test(text) || (block !== null && housekeepingBlocks.has(block));
}
