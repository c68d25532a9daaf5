import type { BlobRange } from '../platform/blobs/blob-store.ts';

/**
 * Reads a `Range` header (RFC 9110, 14.2) against a body of this size. null: the whole body, which also answers what is
 * no single range of bytes; `unsatisfiable`: nothing of the body lies in it.
 */
export function parseByteRange(header: string | undefined, sizeBytes: number): BlobRange | 'unsatisfiable' | null {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/i.exec(header?.trim() ?? '');
  const [, first = '', last = ''] = match ?? [];
  if (first === '' && last === '') return null;
  if (first === '') return suffixOf(Number(last), sizeBytes);
  const start = Number(first);
  if (last !== '' && Number(last) < start) return null;
  if (start >= sizeBytes) return 'unsatisfiable';
  return { start, end: last === '' ? sizeBytes - 1 : Math.min(Number(last), sizeBytes - 1) };
}

function suffixOf(lengthBytes: number, sizeBytes: number): BlobRange | 'unsatisfiable' {
  if (lengthBytes === 0 || sizeBytes === 0) return 'unsatisfiable';
  return { start: Math.max(0, sizeBytes - lengthBytes), end: sizeBytes - 1 };
}
