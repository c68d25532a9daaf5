import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

/** Why there is no content. */
export type PlainFileFailure = 'absent' | 'not_plain' | 'too_large' | 'not_text' | 'unreadable';

export type PlainFile = { text: string; mode: number; bytes: Buffer } | { failure: PlainFileFailure };

/** Reads a file that is a plain one (no link, pipe or device), within the limit and UTF-8. A byte order mark is kept. */
export async function readPlainFile(file: string, bytesMax: number): Promise<PlainFile> {
  try {
    await using handle = await open(
      file,
      constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0),
    );
    const stats = await handle.stat();
    if (!stats.isFile()) return { failure: 'not_plain' };
    if (stats.size > bytesMax) return { failure: 'too_large' };
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(stats.size + 1), 0, stats.size + 1, 0);
    if (bytesRead !== stats.size) return { failure: 'unreadable' };
    const bytes = buffer.subarray(0, bytesRead);
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes), mode: stats.mode, bytes };
  } catch (error) {
    return { failure: failureOf(error) };
  }
}

function failureOf(error: unknown): PlainFileFailure {
  if (error instanceof TypeError) return 'not_text';
  switch (systemErrorCode(error)) {
    case 'ENOENT':
    case 'ENOTDIR':
      return 'absent';
    case 'ELOOP':
    case 'ENXIO':
      return 'not_plain';
    default:
      return 'unreadable';
  }
}

/** `EACCES` and the like. Anything that is no failure of the system is a bug and is thrown on. */
export function systemErrorCode(error: unknown): string {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code;
  throw error;
}
