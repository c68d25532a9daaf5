import type { CliIo } from './cli-io.ts';
import type { Client } from './client.ts';
import type { Output } from './output.ts';

/** What a command is given. */
export interface CommandContext {
  io: CliIo;
  output: Output;
  /** All arguments as the user gave them. */
  args: readonly string[];
  /** Opened for the settings in the environment; closed when the command is done. @throws CliError `usage` */
  openClient(): Promise<Client>;
  /** Makes a commander action of a command: its answer is the exit code. */
  action<Args extends unknown[]>(run: (...args: Args) => Promise<number>): (...args: Args) => Promise<void>;
  exitCode: number;
}
