/** What the exit code of a command says. */
export const exitCodes = {
  done: 0,
  /** Something vulnerable was found, or something asked for was refused. */
  refused: 1,
  usage: 2,
  /** The server refuses the token, fails or cannot be reached. */
  server: 3,
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
