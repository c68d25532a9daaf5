import { normalizeIdentifier } from '../vulnerabilities/identifiers.ts';

const shapes =
  /\b(?:CVE-\d{4}-\d{4,}|GHSA(?:-[23456789cfghjmpqrvwx]{4}){3}|SNYK-[A-Z]+-[A-Z0-9-]+|(?:PYSEC|RUSTSEC|OSV|GO|MAL)-\d{4}-\d+)\b/gi;
const listed = /^[A-Za-z][A-Za-z0-9]*(?:[-:][\w.]+)+$/;
const identifiersMax = 100;

/**
 * The vulnerabilities that a patch says it fixes. Its message is asked first: the lines under "This patch fixes:", and
 * anything there that has the shape of an identifier. Only a message that names none leaves the word to the file's name.
 */
export function readPatchIdentifiers(message: string, fileName: string): string[] {
  const named = [...listedIdentifiers(message), ...(message.match(shapes) ?? [])];
  const found = named.length > 0 ? named : (fileName.match(shapes) ?? []);
  return [...new Set(found.map(normalizeIdentifier))].slice(0, identifiersMax);
}

function listedIdentifiers(message: string): string[] {
  const lines = message.split('\n').map((line) => line.trim());
  const start = lines.findIndex((line) => /^this patch fixes:$/i.test(line)) + 1;
  if (start === 0) return [];
  const end = lines.indexOf('', start);
  return lines
    .slice(start, end === -1 ? undefined : end)
    .map((line) => line.replace(/^[-*]\s+/, ''))
    .filter((line) => line.length <= 100 && listed.test(line));
}
