import type { Problem } from '@sealsmith/contract';
import { type ExitCode, exitCodes } from './exit-codes.ts';

const titles = {
  usage: 'The command cannot be run as given',
  refused: 'The command was refused',
  server: 'The server does not answer as it should',
  interrupted: 'The command was interrupted',
} as const;

/** The server's problem document; its code may be newer than this program. */
export type ServerProblem = Omit<Problem, 'code'> & { code: string };

export type CliErrorKind = keyof typeof titles;

/** A failure that the user can act on: `message` is one or two clear sentences. */
export class CliError extends Error {
  readonly kind: CliErrorKind;
  /** The server's own words, when it was the server that refused. */
  readonly problem: ServerProblem | null;

  constructor(
    kind: CliErrorKind,
    message: string,
    { problem = null, cause }: { problem?: ServerProblem | null; cause?: unknown } = {},
  ) {
    super(message, { cause });
    this.name = 'CliError';
    this.kind = kind;
    this.problem = problem;
  }
}

export function exitCodeOf(error: CliError): ExitCode {
  return exitCodes[error.kind];
}

/** The problem document of a failure: the server's where there is one, else our own in the same shape. */
export function problemOf(error: CliError): object {
  if (error.problem !== null) return error.problem;
  const { kind, message } = error;
  return { type: `urn:sealsmith:problem:cli-${kind}`, title: titles[kind], detail: message, code: `cli_${kind}` };
}
