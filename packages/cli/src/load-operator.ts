import type { RunOperator } from './cli-io.ts';

/** Held in a variable so that the command line is complete without the server program. */
const serverPackage = '@sealsmith/server';

/** The server program's own command line; null where it is not installed. */
export async function loadOperator(): Promise<RunOperator | null> {
  try {
    const { runOperator } = (await import(serverPackage)) as { runOperator: RunOperator };
    return runOperator;
  } catch (error) {
    if (isServerMissing(error)) return null;
    throw error;
  }
}

/** Something that the server needs may be missing too: that is a broken installation, not an absent one. */
function isServerMissing(error: unknown): boolean {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  return code === 'ERR_MODULE_NOT_FOUND' && String(message).includes(`'${serverPackage}'`);
}
