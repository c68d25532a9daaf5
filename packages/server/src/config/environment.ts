/** Every environment variable that the service reads: its name, its default and what it decides. */
export const environmentVariables = {
  SEALSMITH_PORT: { default: '8080', meaning: 'TCP port to listen on; 0 takes a free one.' },
  SEALSMITH_HOST: { default: '127.0.0.1', meaning: 'Address to listen on.' },
  SEALSMITH_PUBLIC_URL: {
    default: '',
    meaning:
      'URL under which clients reach the service, for addresses in answers. Default: the Host that each request names.',
  },
  SEALSMITH_DATA_DIR: { default: './data', meaning: 'Folder of the database, the artifacts and the cache.' },
  SEALSMITH_DATABASE_URL: { default: '', meaning: '`postgres://…`; default: SQLite in the data folder.' },
  SEALSMITH_ROLES: { default: 'api,artifacts,worker', meaning: 'What this process does, separated by commas.' },
  SEALSMITH_UPSTREAM_NPM: {
    default: '',
    meaning:
      'URL of the npm registry behind the artifact server; default: what the npm of this machine is configured to use; `none`: no upstream.',
  },
  SEALSMITH_UPSTREAM_NPM_TOKEN: { default: '', meaning: 'Bearer token for the npm upstream.' },
  SEALSMITH_UPSTREAM_NPM_TARBALL_ORIGINS: {
    default: '',
    meaning: 'Further origins (`https://host`), separated by commas, from which the npm upstream serves tarballs.',
  },
  SEALSMITH_CATALOG_DIR: {
    default: '',
    meaning:
      'Folder with `advisories/` and `patches/` to load at start for every tenant; default: the starter catalog; `none`: nothing.',
  },
  SEALSMITH_CACHE_BYTES_MAX: { default: '10737418240', meaning: 'Size of the cache of upstream artifacts, in bytes.' },
  SEALSMITH_BUILD_LEASE_SECONDS: {
    default: '30',
    meaning: 'How long a build may go without a sign of life before a worker takes it over.',
  },
  SEALSMITH_RATE_LIMIT: { default: '1200', meaning: 'API requests a minute and token; 0: unlimited.' },
  SEALSMITH_LOG_LEVEL: { default: 'info', meaning: 'fatal, error, warn, info, debug, trace or silent.' },
} as const satisfies Record<string, { default: string; meaning: string }>;

export type EnvironmentVariable = keyof typeof environmentVariables;
export type Environment = Readonly<Record<string, string | undefined>>;
