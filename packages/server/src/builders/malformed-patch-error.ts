/** A patch that is not read, because of what stands on `line` (1-based) of its text. */
export class MalformedPatchError extends Error {
  readonly line: number;

  constructor(line: number, problem: string) {
    super(`line ${line}: ${problem}`);
    this.name = 'MalformedPatchError';
    this.line = line;
  }
}
