import { defineConfig } from 'vitest/config';

// Vitest hands these to Node as well: with 'import' among them, Node would load ES modules where CommonJS asks for its own.
const sourceFirst = ['@countersign/source', 'node'];

export default defineConfig({
  // Test the sources: a stale `dist` must never make a test pass or fail.
  resolve: { conditions: sourceFirst },
  ssr: { resolve: { conditions: sourceFirst } },
  test: {
    // `npm run search`: what looks for mistakes and may find what is none.
    include:
      process.env['SEARCH'] === '1' ? ['tests/**/*.search.ts'] : ['packages/*/src/**/*.test.ts', 'tests/**/*.test.ts'],
    globalSetup: [
      'tests/support/postgres-global-setup.ts',
      'tests/support/bubblewrap-global-setup.ts',
      'tests/support/web-global-setup.ts',
      'tests/support/tmux-global-setup.ts',
    ],
    setupFiles: ['tests/support/seed.ts'],
    reporters: ['default', './tests/support/tally-reporter.ts'],
    pool: 'forks',
    // The budget is for two cores; by itself vitest keeps one of them for the watcher it does not need here.
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // A condition that holds is seen at once; how long one may take to come true is no measure on a busy machine.
    expect: { poll: { timeout: 30_000 } },
  },
});
