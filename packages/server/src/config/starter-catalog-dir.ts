import path from 'node:path';

/** The catalog that comes with the service. */
export const starterCatalogDir = path.resolve(import.meta.dirname, '../../../../catalog');
