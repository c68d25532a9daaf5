import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { repositoryDir, startServiceProcess } from '../support/running-service.ts';
import { runProgram } from './steps.ts';

const documentedAddress = '127.0.0.1:8080';
/** What differs from run to run in the output that the README shows. */
const fixId = /^fix [0-9a-z]{26}$/;

test("the README's five-minute walk can be walked as it is written, and ends with a safe shop", async () => {
  const walk = sectionOf(await readFile(path.join(repositoryDir, 'README.md'), 'utf8'), '## Five-minute walk');
  const commands = blocksOf(walk, 'sh');
  expect(commands.length).toBeGreaterThan(5);

  const temporaryDir = await mkdtemp(path.join(tmpdir(), 'sealsmith-walk-'));
  try {
    await using service = await startServiceProcess();
    const script = commands.join('\n').replaceAll(documentedAddress, new URL(service.url).host);
    const env = { SEALSMITH_URL: service.url, SEALSMITH_TOKEN: service.token ?? '', TMPDIR: temporaryDir };
    // A command that is meant to fail says so itself, with `|| echo "exit status $?"`.
    const walked = await runProgram('bash', ['-euo', 'pipefail', '-c', script], { cwd: repositoryDir, env });
    expect(walked, walked.stderr).toMatchObject({ exitCode: 0 });

    const lines = walked.stdout.split('\n').map(withSingleSpaces);
    expect(lines.filter((line) => line === 'exit status 1')).toHaveLength(3);
    const attacks = lines.filter((line) => /^(EXPLOITED|safe|no result):/.test(line));
    expect(attacks).toEqual([
      'EXPLOITED: code from the query string ran on the server',
      'safe: the query string stayed data',
    ]);
    expect(shownOutput(walk).filter((line) => !isAmong(line, lines))).toEqual([]);
  } finally {
    await rm(temporaryDir, { recursive: true, force: true });
  }
});

function sectionOf(markdown: string, heading: string): string {
  const [, section] = markdown.split(`\n${heading}\n`);
  if (section === undefined) throw new Error(`README.md has no heading "${heading}"`);
  return section.split('\n## ')[0] ?? '';
}

function blocksOf(section: string, language: string): string[] {
  return [...section.matchAll(/^```(\w+)\n(.*?)^```$/gms)].flatMap(([, named, text]) =>
    named === language && text !== undefined ? [text] : [],
  );
}

/** The lines that the walk shows as output of its commands; an ellipsis stands for lines that are left out. */
function shownOutput(section: string): string[] {
  const fromFirstCommand = section.slice(section.indexOf('```sh'));
  const lines = blocksOf(fromFirstCommand, 'text').flatMap((block) => block.split('\n').map(withSingleSpaces));
  return lines.filter((line) => line !== '' && line !== '…');
}

function isAmong(shown: string, lines: readonly string[]): boolean {
  return fixId.test(shown) ? lines.some((line) => fixId.test(line)) : lines.includes(shown);
}

function withSingleSpaces(line: string): string {
  return line.trim().replaceAll(/\s+/g, ' ');
}
