import { expect, test } from 'vitest';
import { applyPatch, applyPatches } from './apply-patch.ts';
import { parsePatch } from './unified-diff.ts';

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join('');
const filesOf = (files: Record<string, string>) =>
  new Map(Object.entries(files).map(([path, text]) => [path, new Uint8Array(Buffer.from(text))]));
const textOf = (files: ReadonlyMap<string, Uint8Array>, path: string) => Buffer.from(files.get(path) ?? []).toString();

const modify = (path: string, hunks: string) =>
  `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n${hunks}`;
const create = (path: string, line: string) =>
  `diff --git a/${path} b/${path}\nnew file mode 100644\n--- /dev/null\n+++ b/${path}\n@@ -0,0 +1 @@\n+${line}\n`;

/** Line 5 becomes `fixed`. */
const fix = '@@ -4,3 +4,3 @@\n line 4\n-line 5\n+fixed\n line 6\n';
const fixed = numbered(9).replace('line 5', 'fixed');
const runtimeFix = modify('lib/a.js', fix);

const apply = (files: Record<string, string>, ...patch: string[]) =>
  applyPatch(filesOf(files), parsePatch(patch.join('')));

test('a hunk is applied where it says, and reported', () => {
  const outcome = apply({ 'lib/a.js': numbered(9), 'lib/b.js': 'other' }, runtimeFix);
  expect(outcome).toMatchObject({
    kind: 'applied',
    report: [
      { path: 'lib/a.js', role: 'runtime', outcome: 'applied', reason: null, hunks: [{ hunk: 1, line: 4, shift: 0 }] },
    ],
  });
  if (outcome.kind === 'applied') {
    expect(textOf(outcome.files, 'lib/a.js')).toBe(fixed);
    expect(textOf(outcome.files, 'lib/b.js')).toBe('other');
  }
});

test('a hunk whose context differs in one blank is refused: there is no fuzz', () => {
  const outcome = apply({ 'lib/a.js': numbered(9).replace('line 6', 'line  6') }, runtimeFix);
  expect(outcome).toMatchObject({ kind: 'refused', reason: expect.stringContaining('lib/a.js: hunk 1') });
});

test('a moved hunk is applied when its lines stand in one place, and refused when in two', () => {
  const moved = `added\nadded\n${numbered(9)}`;
  expect(apply({ 'lib/a.js': moved }, runtimeFix)).toMatchObject({
    kind: 'applied',
    report: [{ hunks: [{ shift: 2 }] }],
  });
  const twice = apply({ 'lib/a.js': `${moved}${numbered(9)}` }, runtimeFix);
  expect(twice).toMatchObject({ kind: 'refused', reason: expect.stringContaining('more than one place') });
});

test('after a moved hunk, a later one counts only where its lines are unique', () => {
  const block = 'x\ny\nz\n';
  const hunks = '@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n@@ -4,3 +4,3 @@\n x\n-y\n+Y\n z\n';
  const patch = modify('lib/a.js', hunks);
  expect(apply({ 'lib/a.js': `top\na\nb\nc\n${block}${block}end\n` }, patch).kind).toBe('refused');
  expect(apply({ 'lib/a.js': `a\nb\nc\n${block}${block}end\n` }, patch).kind).toBe('applied');
});

test('a hunk that ends with its change belongs to the end of the file and nowhere else', () => {
  const append = modify('lib/a.js', '@@ -8,2 +8,3 @@\n line 8\n line 9\n+line 10\n');
  const patch = [runtimeFix, append];
  expect(apply({ 'lib/a.js': numbered(9) }, append)).toMatchObject({ kind: 'applied' });
  expect(apply({ 'lib/a.js': `${numbered(9)}more\n` }, append)).toMatchObject({ kind: 'refused' });
  const again = apply({ 'lib/a.js': `${fixed}line 10\n` }, ...patch);
  expect(again).toMatchObject({ kind: 'refused', reason: expect.stringContaining('already has every change') });
});

test('a hunk without any context is not applied to a file that has lines', () => {
  const insert = modify('lib/a.js', '@@ -3,0 +4,1 @@\n+inserted\n');
  expect(apply({ 'lib/a.js': numbered(9) }, insert).kind).toBe('refused');
});

test('a file without a line feed at its end is not the same as one with it', () => {
  const patch = modify(
    'lib/a.js',
    '@@ -1,2 +1,2 @@\n one\n-two\n\\ No newline at end of file\n+2\n\\ No newline at end of file\n',
  );
  const outcome = apply({ 'lib/a.js': 'one\ntwo' }, patch);
  expect(outcome.kind === 'applied' && textOf(outcome.files, 'lib/a.js')).toBe('one\n2');
  expect(apply({ 'lib/a.js': 'one\ntwo\n' }, patch).kind).toBe('refused');
});

test('a CRLF file takes a line feed patch, keeps CRLF, and the report says so', () => {
  const outcome = apply({ 'lib/a.js': numbered(9).replaceAll('\n', '\r\n') }, runtimeFix);
  expect(outcome).toMatchObject({ kind: 'applied', report: [{ lineEnding: 'file_crlf' }] });
  expect(outcome.kind === 'applied' && textOf(outcome.files, 'lib/a.js')).toBe(fixed.replaceAll('\n', '\r\n'));
});

test('bytes that are not UTF-8 survive around the change', () => {
  const bytes = Buffer.concat([Buffer.from([0xff, 0xfe, 0x0a]), Buffer.from(numbered(9))]);
  const outcome = applyPatch(new Map([['lib/a.js', bytes]]), parsePatch(runtimeFix));
  const expected = Buffer.concat([Buffer.from([0xff, 0xfe, 0x0a]), Buffer.from(fixed)]);
  expect(outcome.kind === 'applied' && Buffer.from(outcome.files.get('lib/a.js') ?? []).equals(expected)).toBe(true);
});

test('tests and housekeeping that the package lacks, or has otherwise, are left out and reported', () => {
  const outcome = apply(
    { 'lib/a.js': numbered(9), 'README.md': 'other text\n', 'test/present.js': 'other text\n' },
    runtimeFix,
    modify('test/a.js', fix),
    modify('CHANGELOG.md', fix),
    modify('README.md', fix),
    modify('test/present.js', fix),
    create('test/new.js', 'x'),
  );
  expect(outcome.kind).toBe('applied');
  expect(outcome.report.map(({ path, outcome: result }) => [path, result])).toEqual([
    ['lib/a.js', 'applied'],
    ['test/a.js', 'skipped'],
    ['CHANGELOG.md', 'skipped'],
    ['README.md', 'skipped'],
    ['test/present.js', 'skipped'],
    ['test/new.js', 'skipped'],
  ]);
  expect(outcome.report.slice(1).every(({ reason }) => reason !== null)).toBe(true);
  expect(outcome.kind === 'applied' && outcome.files.has('test/new.js')).toBe(false);
});

test('a runtime file that is missing or does not fit refuses the patch, and every such file is named', () => {
  const outcome = apply(
    { 'lib/a.js': numbered(9), 'lib/b.js': 'other\n' },
    runtimeFix,
    modify('src/a.ts', fix),
    modify('lib/b.js', fix),
  );
  expect(outcome).toMatchObject({
    kind: 'refused',
    reason: expect.stringMatching(/^src\/a\.ts: the package has no such file; lib\/b\.js: hunk 1: /),
  });
});

test('a patch that changes no existing runtime file is refused', () => {
  const files = { 'lib/a.js': numbered(9), 'test/a.js': numbered(9) };
  expect(apply(files, modify('test/a.js', fix))).toMatchObject({
    kind: 'refused',
    reason: expect.stringContaining('users load'),
  });
  expect(apply(files, create('lib/new.js', 'nobody refers to it'))).toMatchObject({ kind: 'refused' });
  expect(apply({ 'lib/a.js': fixed }, runtimeFix)).toMatchObject({
    kind: 'refused',
    reason: expect.stringContaining('already has every change'),
    report: [{ outcome: 'already_present' }],
  });
});

test('a file that has one change of two already gets the other', () => {
  const hunks = `${fix}@@ -13,3 +13,3 @@\n line 13\n-line 14\n+also fixed\n line 15\n`;
  const present = numbered(20).replace('line 14', 'also fixed');
  const outcome = apply({ 'lib/a.js': present }, modify('lib/a.js', hunks));
  expect(outcome).toMatchObject({
    kind: 'applied',
    report: [{ hunks: [{ outcome: 'applied' }, { outcome: 'already_present' }] }],
  });
  expect(outcome.kind === 'applied' && textOf(outcome.files, 'lib/a.js')).toBe(present.replace('line 5\n', 'fixed\n'));
});

test('lines that stand before the change in one place and after it in another are not guessed about', () => {
  const block = 'line 4\nline 5\nline 6\n';
  const outcome = apply({ 'lib/a.js': `${fixed}${block}` }, runtimeFix);
  expect(outcome).toMatchObject({ kind: 'refused', reason: expect.stringContaining('in another') });
});

test('new, deleted and renamed runtime files are new, deleted and renamed', () => {
  const outcome = apply(
    { 'lib/a.js': numbered(9), 'lib/gone.js': 'x\n', 'lib/old.js': 'y\n' },
    runtimeFix,
    create('lib/new.js', 'new'),
    'diff --git a/lib/gone.js b/lib/gone.js\ndeleted file mode 100644\n--- a/lib/gone.js\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n',
    'diff --git a/lib/old.js b/lib/moved.js\nsimilarity index 100%\nrename from lib/old.js\nrename to lib/moved.js\n',
  );
  expect(outcome.kind === 'applied' && [...outcome.files.keys()].sort()).toEqual([
    'lib/a.js',
    'lib/moved.js',
    'lib/new.js',
  ]);
});

test('a new file never replaces another one, nor stands where a folder is', () => {
  const files = { 'lib/a.js': numbered(9), 'lib/b.js': 'mine\n' };
  for (const path of ['lib/b.js', 'lib', 'lib/b.js/c.js']) {
    expect(apply(files, runtimeFix, create(path, 'theirs')).kind, path).toBe('refused');
  }
});

const manifest = `{
  "name": "a",
  "version": "9.9.9",
  "dependencies": {
    "b": "^1.0.0"
  }
}
`;

test('package.json is housekeeping where a hunk touches version, scripts or development dependencies only', () => {
  const files = { 'lib/a.js': numbered(9), 'package.json': manifest };
  const version = modify(
    'package.json',
    '@@ -2,3 +2,3 @@\n   "name": "a",\n-  "version": "1.0.0",\n+  "version": "1.0.1",\n   "main": "a.js"\n',
  );
  const scripts = modify(
    'package.json',
    '@@ -2,5 +2,5 @@\n   "name": "a",\n   "scripts": {\n-    "test": "x"\n+    "test": "y"\n   },\n   "main": "a.js"\n',
  );
  const dependency = modify(
    'package.json',
    '@@ -2,5 +2,5 @@\n   "name": "a",\n   "dependencies": {\n-    "b": "1"\n+    "b": "2"\n   },\n   "main": "a.js"\n',
  );
  const install = scripts.replaceAll('"test"', '"postinstall"');
  expect(apply(files, runtimeFix, version)).toMatchObject({
    kind: 'applied',
    report: [{}, { role: 'housekeeping', outcome: 'skipped' }],
  });
  expect(apply(files, runtimeFix, scripts).kind).toBe('applied');
  expect(apply(files, runtimeFix, dependency)).toMatchObject({ kind: 'refused', report: [{}, { role: 'runtime' }] });
  expect(apply(files, runtimeFix, install).kind).toBe('refused');
});

test('the patches of an iteration build on each other, and one that does not fit refuses them all', () => {
  const second = modify('lib/a.js', '@@ -4,3 +4,3 @@\n line 4\n-fixed\n+fixed better\n line 6\n');
  const named = (...texts: string[]) =>
    texts.map((text, index) => ({ fileName: `000${index + 1}-x.patch`, patch: parsePatch(text) }));
  const original = filesOf({ 'lib/a.js': numbered(9) });
  const outcome = applyPatches(original, named(runtimeFix, second));
  expect(outcome.kind === 'applied' && textOf(outcome.files, 'lib/a.js')).toBe(fixed.replace('fixed', 'fixed better'));
  const refused = applyPatches(original, named(second, runtimeFix));
  expect(refused).toMatchObject({
    kind: 'refused',
    reason: expect.stringMatching(/^0001-x\.patch: lib\/a\.js: hunk 1: /),
  });
  expect(refused.report).toHaveLength(1);
  expect(textOf(original, 'lib/a.js')).toBe(numbered(9));
});
