import { isDeepStrictEqual } from 'node:util';

/** The bytes of a `package.json` with another version; null when that cannot be done by changing this one value. */
export function replaceManifestVersion(bytes: Uint8Array, version: string): Buffer | null {
  const before = parseManifest(bytes);
  // One character per byte: whatever stands around the value stays the same to the byte, also where it is not UTF-8.
  const text = Buffer.from(bytes).toString('latin1');
  const span = before === null ? null : topLevelVersionSpan(text);
  if (before === null || span === null) return null;
  const after = Buffer.from(`${text.slice(0, span.start)}${JSON.stringify(version)}${text.slice(span.end)}`, 'latin1');
  // The proof that the edit hit the right place, whatever the text looks like.
  return isDeepStrictEqual(parseManifest(after), { ...before, version }) ? after : null;
}

/** A JSON object, read as package managers do, byte order mark or not; null for anything else. */
export function parseManifest(bytes: Uint8Array): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

interface Span {
  start: number;
  end: number;
}

const jsonToken = /"(?:[^"\\]|\\.)*"|[{}[\]:,]|[^\s"{}[\]:,]+/g;

/** Where the value of the one `version` of the outermost object stands; null when there is none or more than one. */
function topLevelVersionSpan(text: string): Span | null {
  const tokens = [...text.matchAll(jsonToken)];
  const spans: Span[] = [];
  let depth = 0;
  for (const [index, { 0: token }] of tokens.entries()) {
    if (token === '{' || token === '[') depth += 1;
    if (token === '}' || token === ']') depth -= 1;
    const isKey = depth === 1 && token.startsWith('"') && tokens[index + 1]?.[0] === ':';
    const value = tokens[index + 2];
    if (!isKey || value === undefined || JSON.parse(token) !== 'version') continue;
    if (value[0].startsWith('"')) spans.push({ start: value.index, end: value.index + value[0].length });
  }
  return spans.length === 1 ? (spans[0] ?? null) : null;
}
