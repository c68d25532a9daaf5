import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { AppError } from '../platform/app-error.ts';

/** The bytes of an upload; the stream fails with AppError `payload_too_large` once it carries more than `bytesMax`. */
export function boundUpload(upload: AsyncIterable<Uint8Array | string>, bytesMax: number): Readable {
  return Readable.from(bounded(upload, bytesMax), { objectMode: false });
}

export interface SpooledUpload extends AsyncDisposable {
  path: string;
}

/** Writes an upload to a file of its own below `folder`, for formats that are read from their end. Disposing deletes it. */
export async function spoolUpload(upload: Readable, folder: string, fileName: string): Promise<SpooledUpload> {
  const own = await mkdtemp(path.join(folder, 'sealsmith-upload-'));
  const remove = () => rm(own, { recursive: true, force: true });
  const file = path.join(own, fileName);
  try {
    await pipeline(upload, createWriteStream(file, { mode: 0o600, flags: 'wx' }));
  } catch (error) {
    await remove();
    throw error;
  }
  return { path: file, [Symbol.asyncDispose]: remove };
}

async function* bounded(upload: AsyncIterable<Uint8Array | string>, bytesMax: number): AsyncGenerator<Uint8Array> {
  let receivedBytes = 0;
  for await (const chunk of upload) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    receivedBytes += bytes.length;
    if (receivedBytes > bytesMax) {
      throw new AppError('payload_too_large', `The body has more than ${bytesMax} bytes, which is what this reads.`);
    }
    yield bytes;
  }
}
