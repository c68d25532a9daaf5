/** An archive that is not unpacked: it is damaged, too large, or holds what no package may hold. */
export class ArchiveRefusedError extends Error {
  constructor(problem: string, cause?: unknown) {
    super(problem, { cause });
    this.name = 'ArchiveRefusedError';
  }
}
