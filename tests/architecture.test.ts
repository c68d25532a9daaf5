import { globSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { ecosystemIds } from '@sealsmith/ecosystems';
import { describe, expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '..');
const fileLinesMax = 400;
const serverRoot = 'packages/server/src';
/** Folders of the server that are a feature of the product; the others are what features stand on. */
const foundations = ['platform', 'database', 'config', 'roles', 'operator'];
const features = readdirSync(path.join(root, serverRoot), { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !foundations.includes(entry.name))
  .map(({ name }) => name);

interface Import {
  from: string;
  /** Path from the repository's root, or the name of a package. */
  to: string;
  isType: boolean;
}

const sources = globSync('{packages,tests,bench,tools}/**/*.{ts,tsx}', {
  cwd: root,
  exclude: ['**/node_modules/**'],
}).sort();
const imports = sources.flatMap(importsOf);
/** Tests may reach further than what they test. */
const productImports = imports.filter(({ from }) => !isTestFile(from) && from.startsWith('packages/'));

describe('who may import whom', () => {
  test('contract and ecosystems import nothing of ours, and no Node module', () => {
    for (const name of ['contract', 'ecosystems']) {
      const outside = importsFrom(`packages/${name}/`).filter(
        ({ to }) => isOurs(to) && !to.startsWith(`packages/${name}/`),
      );
      expect(outside).toEqual([]);
      expect(importsFrom(`packages/${name}/`).filter(({ to }) => to.startsWith('node:'))).toEqual([]);
    }
  });

  test('the platform knows nothing of sealing: it imports itself and the contract', () => {
    const allowed = [`${serverRoot}/platform/`, '@sealsmith/contract'];
    expect(
      importsFrom(`${serverRoot}/platform/`).filter(({ to }) => isOurs(to) && !startsWithAny(to, allowed)),
    ).toEqual([]);
  });

  test('the database imports itself, the platform and, for column types, the two pure packages', () => {
    const allowed = [
      `${serverRoot}/platform/`,
      `${serverRoot}/database/`,
      '@sealsmith/contract',
      '@sealsmith/ecosystems',
    ];
    expect(
      importsFrom(`${serverRoot}/database/`).filter(({ to }) => isOurs(to) && !startsWithAny(to, allowed)),
    ).toEqual([]);
  });

  test('no feature imports a store, a route or a job of another', () => {
    const inner = features.map((feature) => ({ own: `${serverRoot}/${feature}/`, others: foldersBut(feature) }));
    const reaching = inner.flatMap(({ own, others }) =>
      importsFrom(own).filter(({ to }) => /(-store|\.route|\.job)\.ts$/.test(to) && startsWithAny(to, others)),
    );
    expect(reaching).toEqual([]);
  });

  test('only composition, roles and the operator import features together; nobody imports what composes', () => {
    const composing = new RegExp(`^${serverRoot}/(compose[a-z-]*|main)\\.ts$|^${serverRoot}/(roles|operator)/`);
    const fromBelow = productImports.filter(
      ({ from, to, isType }) => composing.test(to) && !composing.test(from) && !isType,
    );
    expect(fromBelow.filter(({ from }) => from !== `${serverRoot}/index.ts`)).toEqual([]);
  });

  test('the command line stands on the contract and the ecosystems alone', () => {
    const allowed = ['packages/cli/', '@sealsmith/contract', '@sealsmith/ecosystems'];
    expect(importsFrom('packages/cli/').filter(({ to }) => isOurs(to) && !startsWithAny(to, allowed))).toEqual([]);
  });

  test('there are no import cycles', () => {
    expect(findCycle(productImports.filter(({ isType }) => !isType))).toBeNull();
  });
});

describe('what only certain files may do', () => {
  test('only entry points touch the process', () => {
    const entryPoints = [`${serverRoot}/main.ts`, 'packages/cli/src/main.ts', 'packages/cli/bin/sealsmith.mjs'];
    const touching = productSources().filter((file) => /(^|[^\w.'"`/])process\.(?!versions)/m.test(codeOf(file)));
    expect(touching.filter((file) => !entryPoints.includes(file))).toEqual([]);
  });

  test('only outbound-fetch and the client of the command line open connections', () => {
    const libraries = ['undici', 'node:http', 'node:https', 'node:net', 'node:tls'];
    const users = productImports.filter(({ to, isType }) => libraries.includes(to) && !isType).map(({ from }) => from);
    expect(new Set(users)).toEqual(new Set([`${serverRoot}/platform/outbound-fetch.ts`, 'packages/cli/src/client.ts']));
  });

  test('only the look-up of the registry of the machine starts a process', () => {
    const users = productImports.filter(({ to }) => to === 'node:child_process').map(({ from }) => from);
    expect(users).toEqual([`${serverRoot}/config/npm-registry-of-machine.ts`]);
  });
});

describe('the shape of the tree', () => {
  test('every ecosystem has its folder in all three trees, supported or saying why not', () => {
    for (const tree of ['packages/ecosystems/src', `${serverRoot}/artifacts`, `${serverRoot}/builders`]) {
      const folders = readdirSync(path.join(root, tree), { withFileTypes: true }).filter((entry) =>
        entry.isDirectory(),
      );
      const names = folders.map(({ name }) => name).filter((name) => name !== 'testing');
      expect(names.toSorted(), tree).toEqual([...ecosystemIds].toSorted());
    }
  });

  test(`no source file has more than ${fileLinesMax} lines`, () => {
    const long = sources
      .map((file) => ({ file, lines: textOf(file).split('\n').length }))
      .filter(({ lines }) => lines > fileLinesMax);
    expect(long).toEqual([]);
  });

  test('no file is named for being of use to others', () => {
    const vague = /(^|[/-])(utils?|helpers?|common|misc|manager|service)\.(ts|tsx|mjs)$/;
    expect(productSources().filter((file) => vague.test(file))).toEqual([]);
  });
});

function foldersBut(feature: string): string[] {
  return features.filter((other) => other !== feature).map((other) => `${serverRoot}/${other}/`);
}

function productSources(): string[] {
  return sources.filter((file) => file.startsWith('packages/') && !isTestFile(file));
}

function isTestFile(file: string): boolean {
  return (
    file.endsWith('.test.ts') || file.includes('/testing/') || file.includes('/testdata/') || file.startsWith('tests/')
  );
}

function importsFrom(prefix: string): Import[] {
  return productImports.filter(({ from }) => from.startsWith(prefix));
}

function importsOf(from: string): Import[] {
  const pattern = /^(?:import|export)\s+(type\s)?(?:[^'";]*?\sfrom\s+)?['"]([^'"]+)['"]/gm;
  return [...codeOf(from).matchAll(pattern)].map(([, type, specifier = '']) => ({
    from,
    to: specifier.startsWith('.') ? path.posix.join(path.posix.dirname(from), specifier) : specifier,
    isType: type !== undefined,
  }));
}

/** The text without block comments and line comments, where names of modules and globals may stand. */
function codeOf(file: string): string {
  return textOf(file)
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/^\s*\/\/.*$/gm, '');
}

function textOf(file: string): string {
  return readFileSync(path.join(root, file), 'utf8');
}

function isOurs(to: string): boolean {
  return (
    to.startsWith('packages/') || to.startsWith('@sealsmith/') || to.startsWith('tests/') || to.startsWith('bench/')
  );
}

function startsWithAny(text: string, prefixes: readonly string[]): boolean {
  return prefixes.some((prefix) => text.startsWith(prefix));
}

/** @returns the files of one cycle, or null */
function findCycle(edges: readonly Import[]): string[] | null {
  const targets = Map.groupBy(edges, ({ from }) => from);
  const done = new Set<string>();
  const visit = (file: string, trail: string[]): string[] | null => {
    if (trail.includes(file)) return [...trail.slice(trail.indexOf(file)), file];
    if (done.has(file)) return null;
    for (const { to } of targets.get(file) ?? []) {
      const cycle = visit(to, [...trail, file]);
      if (cycle) return cycle;
    }
    done.add(file);
    return null;
  };
  for (const file of targets.keys()) {
    const cycle = visit(file, []);
    if (cycle) return cycle;
  }
  return null;
}
