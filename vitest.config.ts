import { defineConfig } from 'vitest/config';

const shared = {
  globalSetup: ['tests/support/postgres-setup.ts'],
  testTimeout: 60_000,
  hookTimeout: 120_000,
  pool: 'forks' as const,
  // Test files share no state that they change, and loading the server anew for each would be most of the time.
  isolate: false,
};

/** What runs real package managers, downloads packages or kills servers again and again. */
const slow = ['tests/{clients,catalog,journey,crash}/**/*.test.ts', 'packages/server/src/**/npm-client.test.ts'];

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          ...shared,
          name: 'fast',
          include: ['packages/*/src/**/*.test.ts', 'tests/*.test.ts'],
          exclude: ['**/node_modules/**', ...slow],
        },
      },
      { test: { ...shared, name: 'api', include: ['tests/api/**/*.test.ts'] } },
      { test: { ...shared, name: 'slow', include: slow, testTimeout: 300_000, fileParallelism: false } },
    ],
  },
});
