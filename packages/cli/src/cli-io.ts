export interface TextSink {
  write(text: string): unknown;
  readonly isTTY?: boolean;
}

/** Everything that the command line reads from or writes to outside of files and the network. */
export interface CliIo {
  stdout: TextSink;
  stderr: TextSink;
  env: Readonly<Record<string, string | undefined>>;
  /** Absolute. */
  cwd: string;
  /** Aborted when the user interrupts. */
  signal: AbortSignal;
  sleep(ms: number): Promise<void>;
  /** The server program's own command line; null where it is not installed. */
  loadOperator(): Promise<RunOperator | null>;
}

/** Runs a command on the data folder or database itself, with the arguments as the user gave them. */
export type RunOperator = (args: string[], io: CliIo) => Promise<number>;
