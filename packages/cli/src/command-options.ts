import { type WireEcosystem, wireEcosystems } from '@sealsmith/contract';
import { type Command, InvalidArgumentError } from 'commander';

/** `--json` and the examples below the help, which every command has. */
export function withJson(command: Command, examples: readonly string[]): Command {
  const lines = examples.map((example) => `  $ sealsmith ${example}`);
  return command
    .option('--json', 'print one JSON document')
    .addHelpText('after', ['', examples.length === 1 ? 'Example:' : 'Examples:', ...lines].join('\n'));
}

export function withEcosystem(command: Command): Command {
  return command.option(
    '--ecosystem <name>',
    `one of ${wireEcosystems.join(', ')}, in any case`,
    parseEcosystem,
    'NPM',
  );
}

export function parseEcosystem(text: string): WireEcosystem {
  const found = wireEcosystems.find((name) => name.toLowerCase() === text.toLowerCase());
  if (found === undefined) throw new InvalidArgumentError(`It must be one of ${wireEcosystems.join(', ')}.`);
  return found;
}

export function parseCount(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('It must be a whole number from 1 on.');
  return Number(text);
}

export function collect(value: string, earlier: readonly string[]): string[] {
  return [...earlier, value];
}
