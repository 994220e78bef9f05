import { defineConfig } from 'vitest/config';

const sourceFirst = ['@countersign/source', 'node', 'import', 'module', 'default'];

export default defineConfig({
  // Test the sources: a stale `dist` must never make a test pass or fail.
  resolve: { conditions: sourceFirst },
  ssr: { resolve: { conditions: sourceFirst, externalConditions: sourceFirst } },
  test: {
    include: ['packages/*/src/**/*.test.ts', 'tests/**/*.test.ts'],
    globalSetup: ['tests/support/postgres-global-setup.ts'],
    reporters: ['default', './tests/support/tally-reporter.ts'],
    pool: 'forks',
    testTimeout: 20_000,
    hookTimeout: 60_000,
  },
});
