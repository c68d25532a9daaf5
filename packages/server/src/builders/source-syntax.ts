import { parseJavaScript, type SourceKind } from './parse-javascript.ts';

type Files = ReadonlyMap<string, Uint8Array>;

/**
 * The first changed or new file that is no longer the JSON, script or module that it was; null when all still are. A file
 * that could not be parsed before is not judged. Nothing is run.
 */
export async function findBrokenSource(before: Files, after: Files): Promise<string | null> {
  for (const [path, bytes] of after) {
    const origin = before.get(path);
    if (origin === bytes) continue;
    const isBroken = path.endsWith('.json')
      ? isBrokenJson(origin, bytes)
      : await isBrokenJavaScript(path, origin, bytes);
    if (isBroken) return path;
  }
  return null;
}

function isBrokenJson(origin: Uint8Array | undefined, bytes: Uint8Array): boolean {
  return !isJson(bytes) && (origin === undefined || isJson(origin));
}

function isJson(bytes: Uint8Array): boolean {
  try {
    JSON.parse(new TextDecoder().decode(bytes));
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

const kindsByExtension: Readonly<Record<string, readonly SourceKind[]>> = {
  '.js': ['script', 'module'],
  '.cjs': ['script'],
  '.mjs': ['module'],
};

async function isBrokenJavaScript(path: string, origin: Uint8Array | undefined, bytes: Uint8Array): Promise<boolean> {
  const kinds = kindsByExtension[/\.[cm]?js$/.exec(path)?.[0] ?? ''];
  if (kinds === undefined) return false;
  const now = await parseJavaScript(bytes, kinds);
  if (origin === undefined) return now.length === 0;
  const then = await parseJavaScript(origin, kinds);
  return then.length > 0 && !then.some((kind) => now.includes(kind));
}
