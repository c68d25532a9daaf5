/** The code (`ENOENT`, `EACCES`, …) of an error that the operating system reported; rethrows every other error. */
export function systemErrorCode(error: unknown): string {
  if (error instanceof Error && 'syscall' in error && 'code' in error && typeof error.code === 'string')
    return error.code;
  throw error;
}
