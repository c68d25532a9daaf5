import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';
import { AppError } from '../app-error.ts';

const tagBytes = 16;

/** What a cursor belongs to; it is worth nothing anywhere else. */
export interface CursorBinding {
  tenantId: number;
  /** The list that is paged. */
  list: string;
  /** Every filter that decides which items the list has. */
  filters: Readonly<Record<string, unknown>>;
}

/** Opaque cursors over a list: an authenticated position, bound to tenant, list and filters. */
export interface CursorCodec {
  encode(position: readonly (string | number)[], binding: CursorBinding): string;
  /** @throws AppError `invalid_cursor` for anything that `encode` did not make for this binding */
  decode(cursor: string, binding: CursorBinding): (string | number)[];
}

export function createCursorCodec(secret: Buffer): CursorCodec {
  const key = createSecretKey(secret);
  const tagOf = (payload: string, { tenantId, list, filters }: CursorBinding) => {
    const bound = JSON.stringify([
      tenantId,
      list,
      Object.entries(filters).sort(([a], [b]) => (a < b ? -1 : 1)),
      payload,
    ]);
    return createHmac('sha256', key).update(bound).digest().subarray(0, tagBytes);
  };
  return {
    encode: (position, binding) => {
      const payload = JSON.stringify(position);
      return Buffer.concat([tagOf(payload, binding), Buffer.from(payload)]).toString('base64url');
    },
    decode: (cursor, binding) => {
      const bytes = Buffer.from(cursor, 'base64url');
      const payload = bytes.subarray(tagBytes).toString();
      const isCanonical = bytes.length > tagBytes && bytes.toString('base64url') === cursor;
      if (!isCanonical || !timingSafeEqual(bytes.subarray(0, tagBytes), tagOf(payload, binding))) {
        throw new AppError('invalid_cursor', 'The cursor is not one that this list gave out for these filters.');
      }
      return JSON.parse(payload);
    },
  };
}
