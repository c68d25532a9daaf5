import { CliError } from './cli-error.ts';
import type { CommandContext } from './command-context.ts';

/** Hands the command over to the server program, with the arguments as the user gave them. */
export async function runAsOperator({ args, io }: CommandContext): Promise<number> {
  const runOperator = await io.loadOperator();
  if (runOperator === null) {
    throw new CliError(
      'usage',
      `"sealsmith ${args[0] ?? ''}" works on the data of the service itself: run it where the service is installed.`,
    );
  }
  return runOperator([...args], io);
}
