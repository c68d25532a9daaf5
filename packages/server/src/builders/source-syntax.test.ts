import { expect, test } from 'vitest';
import { findBrokenSource } from './source-syntax.ts';

const filesOf = (files: Record<string, string>) =>
  new Map(Object.entries(files).map(([path, text]) => [path, Buffer.from(text)]));
const broken = (path: string, before: string | null, after: string) =>
  findBrokenSource(filesOf(before === null ? {} : { [path]: before }), filesOf({ [path]: after }));

const script = '#!/usr/bin/env node\nif (a) return;\nmodule.exports = require("b");\n';
const module = 'import b from "b";\nexport const a = await b;\n';

test.each([
  ['a script', 'a.js', script, `${script}more();\n`],
  ['a module', 'a.js', module, `${module}more();\n`],
  ['a .cjs file', 'a.cjs', script, `${script}more();\n`],
  ['a .mjs file', 'a.mjs', module, `${module}more();\n`],
  ['JSON with a byte order mark', 'a.json', '\uFEFF{}', '\uFEFF{"a":1}'],
  ['a new file', 'a.js', null, script],
  ['a file that did not parse before', 'a.js', 'let x: number;', 'let y: number;'],
  ['a file of another kind', 'a.ts', 'let x: number;', '}{'],
])('%s that still parses is not broken', async (_name, path, before, after) => {
  expect(await broken(path, before, after)).toBeNull();
});

test.each([
  ['a script', 'a.js', script, `${script}}\n`],
  ['a script that closes the wrapper around it', 'a.js', script, `${script}});(function () {\n`],
  ['a script with an import', 'a.js', script, `import a from 'a';\n${script}`],
  ['a module', 'a.mjs', module, `${module}export const = 1;\n`],
  ['JSON', 'a.json', '{}', '{,}'],
  ['a new file', 'a.js', null, '}'],
])('%s that no longer parses is named', async (_name, path, before, after) => {
  expect(await broken(path, before, after)).toBe(path);
});

test('nothing of a checked source is run', async () => {
  const run = 'globalThis.process.exit(3); while (true) {}\n';
  expect(await broken('a.cjs', '', run)).toBeNull();
  expect(await broken('a.mjs', '', `export {};\nimport 'data:text/javascript,process.exit(3)';\n${run}`)).toBeNull();
});
