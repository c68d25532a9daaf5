import type { ErrorCode } from '@sealsmith/contract';

/** One invalid input value; `location` is where it stood. */
export interface InputProblem {
  location: 'query' | 'path' | 'body' | 'header';
  name: string;
  message: string;
}

interface AppErrorOptions {
  cause?: unknown;
  problems?: readonly InputProblem[];
  headers?: Readonly<Record<string, string>>;
}

/** An expected failure: `detail` is one clear sentence for the caller, `cause` is for the log and never sent. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly detail: string;
  readonly problems: readonly InputProblem[];
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ErrorCode, detail: string, { cause, problems = [], headers = {} }: AppErrorOptions = {}) {
    super(detail, { cause });
    this.name = 'AppError';
    this.code = code;
    this.detail = detail;
    this.problems = problems;
    this.headers = headers;
  }
}
