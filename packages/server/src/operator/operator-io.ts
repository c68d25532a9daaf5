/** What a command of the operator reads and writes besides the data itself. */
export interface OperatorIo {
  stdout: { write(text: string): unknown };
  stderr: { write(text: string): unknown; readonly isTTY?: boolean };
  env: Readonly<Record<string, string | undefined>>;
  /** Aborted when the process is asked to end. */
  signal: AbortSignal;
}

/** A command line that cannot be understood: exit code 2. */
export class UsageError extends Error {}

export const operatorExitCodes = { done: 0, refused: 1, usage: 2, failed: 3 } as const;
