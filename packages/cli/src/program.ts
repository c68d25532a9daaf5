import { Command } from 'commander';
import manifest from '../package.json' with { type: 'json' };
import type { CommandContext } from './command-context.ts';
import { plainText } from './render/plain-text.ts';

type DefineCommand = (command: Command, context: CommandContext) => void;

interface CommandEntry {
  name: string;
  alias?: string;
  summary: string;
  load(): Promise<DefineCommand>;
}

const operator = () => import('./commands/operator.ts');

/** Every command; only the module of the one that is run is loaded. */
const commands: readonly CommandEntry[] = [
  {
    name: 'scan',
    summary: 'find the vulnerable packages of a project',
    load: async () => (await import('./commands/scan.ts')).defineScan,
  },
  {
    name: 'fix',
    summary: 'point the lockfile of a project to sealed packages',
    load: async () => (await import('./commands/fix.ts')).defineFix,
  },
  {
    name: 'rules',
    summary: 'list, add, remove and explain sealing rules',
    load: async () => (await import('./commands/rules.ts')).defineRules,
  },
  {
    name: 'packages',
    alias: 'vulnerable',
    summary: 'list the vulnerable packages of all projects',
    load: async () => (await import('./commands/packages-list.ts')).definePackages,
  },
  {
    name: 'generate-fix',
    summary: 'ask for a sealed version of a vulnerable package',
    load: async () => (await import('./commands/generate-fix.ts')).defineGenerateFix,
  },
  {
    name: 'prompt',
    summary: 'print the prompt that has a patch validated',
    load: async () => (await import('./commands/prompt.ts')).definePrompt,
  },
  {
    name: 'advisories',
    summary: 'import OSV records',
    load: async () => (await import('./commands/advisories-import.ts')).defineAdvisories,
  },
  {
    name: 'patches',
    summary: 'import patches',
    load: async () => (await import('./commands/patches-import.ts')).definePatches,
  },
  { name: 'serve', summary: 'run the service (operator)', load: async () => (await operator()).defineServe },
  { name: 'tenant', summary: 'create and list tenants (operator)', load: async () => (await operator()).defineTenant },
  {
    name: 'token',
    summary: 'create, list and revoke access tokens (operator)',
    load: async () => (await operator()).defineToken,
  },
];

const overview = `
Settings come from the environment:
  SEALSMITH_URL      address of the service (default http://127.0.0.1:8080)
  SEALSMITH_TOKEN    access token of the tenant
  SEALSMITH_PROJECT  project name, unless --project gives it

Exit codes: 0 done, 1 found or refused, 2 usage, 3 server or network.

Examples:
  $ sealsmith scan
  $ sealsmith fix --mode all
  $ sealsmith rules add --package ejs --version 2.7.4 --safest`;

/** The commander program with the definition of the command that `context.args` names. */
export async function buildProgram(context: CommandContext): Promise<Command> {
  const { stdout, stderr } = context.io;
  const isJson = context.output.isJson;
  const program = new Command('sealsmith')
    .description('Replaces vulnerable packages with sealed ones: the same version with the fix in it.')
    .version(manifest.version, '--version')
    // `rules add --version 1.0.0` is not asking for the version of the program.
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void stdout.write(plainText(text)),
      writeErr: (text) => {
        if (!isJson) stderr.write(plainText(text));
      },
    })
    .showHelpAfterError('(--help shows how it is used)')
    .addHelpText('after', overview);
  const [first, second] = context.args;
  const named = first === 'help' ? second : first;
  for (const { name, alias, summary, load } of commands) {
    const command = program.command(name).summary(summary).description(sentence(summary));
    if (alias !== undefined) command.alias(alias);
    if (named === name || (named !== undefined && named === alias)) (await load())(command, context);
  }
  return program;
}

function sentence(summary: string): string {
  return `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`;
}
