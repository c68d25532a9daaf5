import { expect, test } from 'vitest';
import { MalformedPatchError } from './malformed-patch-error.ts';
import { parsePatch } from './unified-diff.ts';

const mail = `From 0123456789abcdef0123456789abcdef01234567 Mon Sep 17 00:00:00 2001
From: A Maintainer <maintainer@example.org>
Date: Mon, 3 Jun 2024 10:00:00 +0000
Subject: [PATCH 2/3] Refuse keys that reach
 the prototype

This patch fixes:
  CVE-2024-0001

---
 lib/set.js | 2 +-
 1 file changed, 1 insertion(+), 1 deletion(-)

diff --git a/lib/set.js b/lib/set.js
index 1111111..2222222 100644
--- a/lib/set.js
+++ b/lib/set.js
@@ -1,3 +1,3 @@ function set(o, k, v) {
 one
-two
+2
 three
diff --git a/lib/new.js b/lib/new.js
new file mode 100755
index 0000000..3333333
--- /dev/null
+++ b/lib/new.js
@@ -0,0 +1 @@
+text
\\ No newline at end of file
-- 
2.44.0

`;

const plain = (hunk: string, [oldName, newName] = ['a/x.js', 'b/x.js']) => `--- ${oldName}\n+++ ${newName}\n${hunk}`;
const simpleHunk = '@@ -1,2 +1,2 @@\n one\n-two\n+2\n';

function problemOf(text: string): { line: number; message: string } | null {
  try {
    parsePatch(text);
    return null;
  } catch (error) {
    if (error instanceof MalformedPatchError) return { line: error.line, message: error.message };
    throw error;
  }
}

test('a git mailbox patch is read with its subject, its message without the diffstat, and every file', () => {
  const patch = parsePatch(mail);
  expect(patch.subject).toBe('Refuse keys that reach the prototype');
  expect(patch.message).toBe('This patch fixes:\n  CVE-2024-0001');
  expect(patch.files).toEqual([
    {
      oldPath: 'lib/set.js',
      newPath: 'lib/set.js',
      kind: 'modify',
      isBinary: false,
      hunks: [
        {
          oldStart: 1,
          oldLines: 3,
          newStart: 1,
          newLines: 3,
          lines: [
            { kind: 'context', text: 'one', hasNewline: true },
            { kind: 'removed', text: 'two', hasNewline: true },
            { kind: 'added', text: '2', hasNewline: true },
            { kind: 'context', text: 'three', hasNewline: true },
          ],
        },
      ],
    },
    {
      oldPath: null,
      newPath: 'lib/new.js',
      kind: 'create',
      isBinary: false,
      newMode: '100755',
      hunks: [
        {
          oldStart: 0,
          oldLines: 0,
          newStart: 1,
          newLines: 1,
          lines: [{ kind: 'added', text: 'text', hasNewline: false }],
        },
      ],
    },
  ]);
});

test('a plain diff is read, with or without a/ and b/, timestamps left out', () => {
  const stamp = '\t2024-06-03 10:00:00.000000000 +0000';
  for (const names of [
    ['a/lib/x.js', 'b/lib/x.js'],
    ['lib/x.js', 'lib/x.js'],
    [`a/lib/x.js${stamp}`, `b/lib/x.js${stamp}`],
  ] as const) {
    const [file] = parsePatch(plain(simpleHunk, [...names])).files;
    expect(file).toMatchObject({ oldPath: 'lib/x.js', newPath: 'lib/x.js', kind: 'modify' });
  }
});

test('a carriage return stays part of its line', () => {
  const [file] = parsePatch(plain('@@ -1 +1 @@\n-one\r\n+1\r\n')).files;
  expect(file?.hunks[0]?.lines.map(({ text }) => text)).toEqual(['one\r', '1\r']);
});

test('removed and added lines that look like file headers are read as lines', () => {
  const [file, ...others] = parsePatch(plain('@@ -1,2 +1,2 @@\n one\n--- a/y.js\n+++ b/y.js\n')).files;
  expect(others).toEqual([]);
  expect(file?.hunks[0]?.lines.map(({ text }) => text)).toEqual(['one', '-- a/y.js', '++ b/y.js']);
});

test('a quoted path is decoded from its octal bytes', () => {
  const [file] = parsePatch(plain(simpleHunk, ['"a/caf\\303\\251 \\"x\\".js"', '"b/caf\\303\\251 \\"x\\".js"'])).files;
  expect(file?.newPath).toBe('café "x".js');
});

test('renames, deletions, empty files, mode changes and binary changes are told apart', () => {
  const patch = parsePatch(`diff --git a/old.js b/new.js
similarity index 100%
rename from old.js
rename to new.js
diff --git a/gone.js b/gone.js
deleted file mode 100644
index 1111111..0000000
--- a/gone.js
+++ /dev/null
@@ -1 +0,0 @@
-text
diff --git a/empty file.js b/empty file.js
new file mode 100644
index 0000000..e69de29
diff --git a/run.sh b/run.sh
old mode 100644
new mode 100755
diff --git a/logo.png b/logo.png
index 1111111..2222222 100644
Binary files a/logo.png and b/logo.png differ
`);
  expect(
    patch.files.map(({ kind, oldPath, newPath, isBinary, newMode }) => [kind, oldPath, newPath, isBinary, newMode]),
  ).toEqual([
    ['rename', 'old.js', 'new.js', false, undefined],
    ['delete', 'gone.js', null, false, undefined],
    ['create', null, 'empty file.js', false, '100644'],
    ['modify', 'run.sh', 'run.sh', false, '100755'],
    ['modify', 'logo.png', 'logo.png', true, undefined],
  ]);
});

test.each([
  ['fewer lines than counted, at the end', '@@ -1,3 +1,3 @@\n one\n-two\n+2\n', 6, 'ends inside a hunk'],
  [
    'fewer lines than counted, before a hunk',
    '@@ -1,3 +1,3 @@\n one\n-two\n+2\n@@ -9 +9 @@\n-a\n+b\n',
    7,
    'fewer lines',
  ],
  ['more lines than counted', '@@ -1,2 +1,2 @@\n one\n-two\n+2\n more\n', 7, 'more lines'],
  ['more added lines than counted', '@@ -1,2 +1,2 @@\n one\n+2\n+3\n-two\n', 6, 'more lines'],
  ['an unreadable hunk header', '@@ -1,x +1 @@\n-a\n+b\n', 3, 'not the header'],
  ['no hunk', 'nothing\n', 3, 'no hunk'],
  ['overlapping hunks', '@@ -1,2 +1,2 @@\n a\n-b\n+c\n@@ -2 +2 @@\n-b\n+d\n', 7, 'overlaps'],
  [
    'a line after the last line of the file',
    '@@ -1,2 +1 @@\n-a\n\\ No newline at end of file\n-b\n+c\n',
    5,
    'follows the last line',
  ],
  [
    'a hunk after the last line of the file',
    '@@ -1 +1 @@\n-a\n+b\n\\ No newline at end of file\n@@ -5 +5 @@\n-a\n+b\n',
    7,
    'follows the end',
  ],
  ['a hunk that starts nowhere', '@@ -0,1 +1 @@\n-a\n+b\n', 3, 'line 0'],
])('a hunk with %s is refused, and the line named', (_name, hunk, line, words) => {
  const problem = problemOf(plain(hunk));
  expect(problem?.message).toContain(words);
  expect(problem?.line).toBe(line);
});

test.each([
  ['/etc/passwd', 'absolute'],
  ['C:/x.js', 'absolute'],
  ['lib/../../x.js', 'leads out'],
  ['lib\\..\\x.js', 'backslash'],
  ['lib//x.js', 'not a plain one'],
  ['./x.js', 'not a plain one'],
])('a path like %s is refused', (path, words) => {
  expect(problemOf(plain(simpleHunk, [path, path]))?.message).toContain(words);
  expect(problemOf(plain(simpleHunk, [`a/${path}`, `b/${path}`]))?.message).toBeDefined();
});

test.each([
  ['120000', 'symbolic link'],
  ['160000', 'submodule'],
  ['040000', 'not a plain file'],
])('a file of mode %s is refused, however the mode is spelled', (mode, words) => {
  const created = `diff --git a/x b/x\nnew file mode ${mode}\nindex 0000000..1\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+y\n`;
  const changed = `diff --git a/x b/x\nindex 1111111..2222222 ${mode}\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-y\n+z\n`;
  expect(problemOf(created)?.message).toContain(words);
  expect(problemOf(changed)?.message).toContain(words);
});

test('text without a diff, a combined diff, a copy and two different names are refused', () => {
  expect(problemOf('Subject: nothing\n\nonly words\n')?.message).toContain('changes no file');
  expect(problemOf('diff --cc x.js\n@@@ -1 -1 +1 @@@\n')?.message).toContain('combined');
  expect(problemOf('diff --git a/x b/y\nsimilarity index 100%\ncopy from x\ncopy to y\n')?.message).toContain('copies');
  expect(problemOf(plain(simpleHunk, ['a/x.js', 'b/y.js']))?.message).toContain('two different files');
});
