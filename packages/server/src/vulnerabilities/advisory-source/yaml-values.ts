import { type Document, isScalar, parseDocument, visit } from 'yaml';
import { byteLines } from './byte-lines.ts';
import type { Bytes, SourceLimits, SourceValue } from './source-value.ts';

/** Reads one record a YAML document; all but the first are named `file#2` by their number. A broken document costs itself only. */
export async function* yamlValues(bytes: Bytes, name: string, limits: SourceLimits): AsyncGenerator<SourceValue> {
  let number = 0;
  for await (const text of yamlDocuments(bytes, limits.yamlBytesMax)) {
    number += 1;
    const documentName = number === 1 ? name : `${name}#${number}`;
    if (text === null)
      yield { name: documentName, problem: `the document is longer than ${limits.yamlBytesMax} bytes` };
    else yield parseYaml(text, documentName);
  }
}

/** Cuts at the markers, which YAML 1.2 (9.1.2, c-forbidden) keeps out of every scalar; null stands for one that is too long. */
async function* yamlDocuments(bytes: Bytes, bytesMax: number): AsyncGenerator<string | null> {
  let lines: string[] = [];
  let length = 0;
  let hasContent = false;
  const isTooLong = () => length > bytesMax;
  const take = () => {
    const text = isTooLong() ? null : lines.join('\n');
    [lines, length, hasContent] = [[], 0, false];
    return text;
  };
  for await (const { text } of byteLines(bytes, bytesMax)) {
    const marker = /^(?:---|\.\.\.)(?=\s|$)/.exec(text ?? '')?.[0];
    if (marker !== undefined && hasContent) yield take();
    if (marker === '...') continue;
    length += text === null ? bytesMax + 1 : Buffer.byteLength(text) + 1;
    if (isTooLong()) lines = [];
    else lines.push(text ?? '');
    hasContent ||= text === null || isContent(text.slice(marker?.length ?? 0));
  }
  if (hasContent) yield take();
}

/** Blank lines, comments and directives may come before a document's marker and belong to it. */
function isContent(line: string): boolean {
  return !/^\s*(?:#|$)|^%/.test(line);
}

function parseYaml(text: string, name: string): SourceValue {
  // Plain scalars stay strings: the version 1.10 must not become the number 1.1. Looking for repeated keys takes square time.
  const document = parseDocument(text, {
    schema: 'failsafe',
    customTags: ['null'],
    uniqueKeys: false,
    logLevel: 'silent',
  });
  const problem = document.errors[0]?.message.split('\n')[0] ?? costOf(document);
  if (problem !== null) return { name, problem: `the YAML cannot be read: ${problem}` };
  try {
    return { name, value: document.toJS({ maxAliasCount: aliasesMax }) };
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error;
    return { name, problem: 'the YAML cannot be read: its aliases multiply' };
  }
}

const aliasesMax = 100;

/** Two things make turning a parsed document into values explode: aliases of aliases, and collections as keys. */
function costOf(document: Document.Parsed): string | null {
  let aliases = 0;
  let problem: string | null = null;
  visit(document, {
    Alias() {
      aliases += 1;
      if (aliases <= aliasesMax) return undefined;
      problem = `more than ${aliasesMax} aliases`;
      return visit.BREAK;
    },
    Pair(_, { key }) {
      if (isScalar(key)) return undefined;
      problem = 'a key that is not a plain text';
      return visit.BREAK;
    },
  });
  return problem;
}
