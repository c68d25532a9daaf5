import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { glob, readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { environmentVariables } from '../packages/server/src/config/environment.ts';

const run = promisify(execFile);
const repositoryDir = path.resolve(import.meta.dirname, '..');
const notOurs = new Set(['.git', '.tools', 'node_modules', 'data', 'coverage']);

/** Paths of the repository's own files, with slashes, sorted. */
async function listFiles(pattern: string): Promise<string[]> {
  const exclude = (name: string) => notOurs.has(path.basename(name));
  const files: string[] = [];
  for await (const file of glob(pattern, { cwd: repositoryDir, exclude })) files.push(file.replaceAll(path.sep, '/'));
  return files.sort();
}

const read = (file: string) => readFile(path.join(repositoryDir, file), 'utf8');
const markdownFiles = await listFiles('**/*.md');
const manifestFiles = ['package.json', ...(await listFiles('packages/*/package.json'))];
const rootManifest = JSON.parse(await read('package.json')) as { scripts: Record<string, string> };

describe('configuration.md', async () => {
  const rows = tableRows(await read('docs/operations/configuration.md'));

  test.each(Object.entries(environmentVariables))('%s stands there with its default', (name, { default: value }) => {
    const stated = rows.filter(([variable]) => variable === `\`${name}\``).map(([, stated]) => stated);
    expect(stated).toEqual([value === '' ? 'none' : `\`${value}\``]);
  });

  test('no variable stands there that nothing reads', () => {
    const ofTheCommandLine = ['SEALSMITH_URL', 'SEALSMITH_TOKEN', 'SEALSMITH_PROJECT'];
    const known = [...Object.keys(environmentVariables), ...ofTheCommandLine].map((name) => `\`${name}\``);
    expect(
      rows
        .map(([variable]) => variable)
        .filter((name) => name?.startsWith('`SEALSMITH_'))
        .sort(),
    ).toEqual(known.sort());
  });
});

describe.each(markdownFiles)('%s', async (file) => {
  const text = await read(file);

  test('every relative link leads to a file, and its anchor to a heading', async () => {
    const broken: string[] = [];
    for (const link of relativeLinks(text)) {
      const [target = '', anchor] = link.split('#');
      const linked = target === '' ? file : path.join(path.dirname(file), decodeURIComponent(target));
      const isFound = existsSync(path.join(repositoryDir, linked));
      if (!isFound || (anchor !== undefined && !anchorsOf(await read(linked)).includes(anchor))) broken.push(link);
    }
    expect(broken).toEqual([]);
  });

  test('every npm script that it names exists', () => {
    const named = [...text.matchAll(/\bnpm run ([\w:-]+)/g)].map(([, script]) => script ?? '');
    const short = [...text.matchAll(/(?:^|`)npm (start|test)\b/gm)].map(([, script]) => script ?? '');
    const ofExamples = file.startsWith('examples/') ? [] : [...named, ...short];
    expect(ofExamples.filter((script) => !Object.hasOwn(rootManifest.scripts, script))).toEqual([]);
  });
});

test('no Markdown names the host of the registry that this machine uses', async () => {
  const { stdout } = await run('npm', ['config', 'get', 'registry'], { cwd: repositoryDir });
  const { hostname } = new URL(stdout.trim());
  const naming: string[] = [];
  for (const file of markdownFiles) if (namesHost(await read(file), hostname)) naming.push(file);
  expect(naming).toEqual([]);
});

test('every dependency has its sentence in ADR 0002', async () => {
  const text = await read('docs/adr/0002-dependencies.md');
  const own = (name: string) => name.startsWith('@sealsmith/');
  const described = new Set(
    [...text.matchAll(/^(?:- | {2})`[^:]*:/gm)].flatMap(([names]) => names.match(/(?<=`)[^`\s]+(?=`)/g) ?? []),
  );
  const missing: string[] = [];
  for (const file of manifestFiles) {
    const manifest = JSON.parse(await read(file)) as Record<string, Record<string, string> | undefined>;
    const names = ['dependencies', 'devDependencies', 'optionalDependencies'].flatMap((kind) =>
      Object.keys(manifest[kind] ?? {}),
    );
    missing.push(...names.filter((name) => !own(name) && !text.includes(`\`${name}\``)));
    for (const name of names) described.delete(name);
  }
  expect(missing).toEqual([]);
  expect([...described], 'described, but no dependency').toEqual([]);
});

/** The cells of every table row, trimmed. */
function tableRows(text: string): string[][] {
  const lines = text.split('\n').filter((line) => line.startsWith('|'));
  return lines.map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

function relativeLinks(text: string): string[] {
  const links = [...withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link ?? '');
  return links.filter((link) => !/^[a-z][a-z0-9+.-]*:/i.test(link));
}

/** The anchors of headings, as hosts of repositories make them. */
function anchorsOf(text: string): string[] {
  const headings = [...withoutCode(text).matchAll(/^#{1,6} +(.+)$/gm)].map(([, heading]) => heading ?? '');
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

function withoutCode(text: string): string {
  return text.replace(/^```.*?^```/gms, '');
}

/** Loopback addresses, which a registry of the machine itself may have, say nothing about a public one. */
function namesHost(text: string, hostname: string): boolean {
  const isLoopback = hostname === 'localhost' || /^(127\.|\[::1\])/.test(hostname);
  return !isLoopback && text.toLowerCase().includes(hostname.toLowerCase());
}
