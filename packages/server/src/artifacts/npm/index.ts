import { npmArtifacts } from './routes.ts';

/** The registry protocol that npm, pnpm and yarn speak. */
export const protocol = { supported: true, pathPrefix: '/artifacts/npm', plugin: npmArtifacts } as const;
