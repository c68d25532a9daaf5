import type { Endpoint } from './endpoint.ts';

type EndpointRow = Omit<Endpoint, 'id'>;

/** Gives each row its key as `id`, keeping the exact types of the rows. */
export function defineEndpoints<const Rows extends Record<string, EndpointRow>>(rows: Rows) {
  const entries = Object.entries(rows).map(([id, row]) => [id, { id, ...row }]);
  return Object.fromEntries(entries) as { [Id in keyof Rows]: Rows[Id] & { id: Id & string } };
}
