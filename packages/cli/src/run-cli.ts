import { CommanderError } from 'commander';
import { CliError, exitCodeOf } from './cli-error.ts';
import type { CliIo } from './cli-io.ts';
import type { CommandContext } from './command-context.ts';
import { exitCodes } from './exit-codes.ts';
import { createOutput } from './output.ts';
import { buildProgram } from './program.ts';

/** Runs one command line and answers its exit code; whatever goes wrong is told on `io.stderr`. */
export async function runCli(args: readonly string[], io: CliIo): Promise<number> {
  const output = createOutput(io, wantsJson(args));
  await using resources = new AsyncDisposableStack();
  const context: CommandContext = {
    io,
    output,
    args,
    exitCode: exitCodes.done,
    action:
      (run) =>
      async (...given) => {
        context.exitCode = await run(...given);
      },
    openClient: async () => {
      const [{ createClient }, { readSettings }] = await Promise.all([import('./client.ts'), import('./settings.ts')]);
      return resources.use(createClient(readSettings(io.env), io));
    },
  };
  try {
    const program = await buildProgram(context);
    await program.parseAsync([...args], { from: 'user' });
    return context.exitCode;
  } catch (thrown) {
    const failure = toCliError(thrown);
    if (failure === null) return exitCodes.done;
    // Commander has told its own complaint already, with the usage; only the document is left to us.
    if (!(thrown instanceof CommanderError) || output.isJson) output.failure(failure);
    return exitCodeOf(failure);
  }
}

/** Also known when the arguments cannot be parsed. */
function wantsJson(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  return args.slice(0, end === -1 ? args.length : end).includes('--json');
}

/** null when the user asked for help or the version and got it. */
function toCliError(thrown: unknown): CliError | null {
  if (thrown instanceof CliError) return thrown;
  if (thrown instanceof CommanderError) {
    if (thrown.exitCode === 0) return null;
    const isMissingCommand = thrown.code === 'commander.help';
    const message = isMissingCommand
      ? 'A command is missing; --help lists them.'
      : thrown.message.replace(/^error: /, '');
    return new CliError('usage', message, { cause: thrown });
  }
  const reason = thrown instanceof Error ? thrown.message : String(thrown);
  return new CliError('server', `Something went wrong inside sealsmith: ${reason}`, { cause: thrown });
}
