import { ConfigError } from '../config/config.ts';
import { AppError } from '../platform/app-error.ts';
import { importAdvisoriesCommand, importPatchesCommand } from './import-commands.ts';
import { type OperatorIo, operatorExitCodes, UsageError } from './operator-io.ts';
import { serveCommand } from './serve-command.ts';
import { createTenantCommand, listTenantsCommand } from './tenant-commands.ts';
import { createTokenCommand, listTokensCommand, revokeTokenCommand } from './token-commands.ts';

type Command = (args: string[], io: OperatorIo) => Promise<number>;

const commands: Record<string, Command> = {
  serve: serveCommand,
  'tenant create': createTenantCommand,
  'tenant list': listTenantsCommand,
  'token create': createTokenCommand,
  'token list': listTokensCommand,
  'token revoke': revokeTokenCommand,
  'advisories import': importAdvisoriesCommand,
  'patches import': importPatchesCommand,
};

/**
 * Runs a command on the data folder or database itself, whether or not the service runs.
 * @param args as on the command line, for example `['token', 'create', '--tenant', 'acme', '--name', 'ci']`
 * @returns the exit code
 */
export async function runOperator(args: string[], io: OperatorIo): Promise<number> {
  try {
    const [first = '', second = '', ...rest] = args;
    if (commands[first]) return await commands[first](args.slice(1), io);
    const command = commands[`${first} ${second}`];
    if (!command) throw new UsageError(`The commands are: ${Object.keys(commands).join(', ')}.`);
    return await command(rest, io);
  } catch (error) {
    return report(error, io);
  }
}

function report(error: unknown, io: OperatorIo): number {
  if (error instanceof UsageError || error instanceof ConfigError || isParseArgsError(error)) {
    io.stderr.write(`sealsmith: ${error.message}\n`);
    return operatorExitCodes.usage;
  }
  if (error instanceof AppError) {
    io.stderr.write(`sealsmith: ${error.detail}\n`);
    return operatorExitCodes.refused;
  }
  io.stderr.write(`sealsmith: ${error instanceof Error ? error.message : String(error)}\n`);
  return operatorExitCodes.failed;
}

function isParseArgsError(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');
}
