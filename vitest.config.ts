import { defineConfig } from 'vitest/config';
import LongestFirst from './tests/support/longest-first.js';

// Vitest hands these to Node as well: with 'import' among them, Node would load ES modules where CommonJS asks for its own.
const sourceFirst = ['@countersign/source', 'node'];

export default defineConfig({
  // Test the sources: a stale `dist` must never make a test pass or fail.
  resolve: { conditions: sourceFirst },
  ssr: { resolve: { conditions: sourceFirst } },
  test: {
    setupFiles: ['tests/support/seed.ts'],
    reporters: ['default', './tests/support/tally-reporter.ts'],
    pool: 'forks',
    // Modules are loaded once per worker, not once per file: importing cost a sixth of a run. Tests must not rely on fresh module state.
    isolate: false,
    // The size of property, fuzz and crash tests. `npm run verify` runs them at full size, 1; more than 1 searches with random seeds.
    env: { RUNS_FACTOR: process.env['RUNS_FACTOR'] ?? '0.1' },
    sequence: { sequencer: LongestFirst },
    // The budget is for two cores. Tests wait for servers, browsers and databases about a sixth of their time, so a third worker fills it.
    maxWorkers: 3,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // A condition that holds is seen at once; how long one may take to come true is no measure on a busy machine.
    expect: { poll: { timeout: 30_000 } },
    include:
      // `npm run search`: a search for bugs that may report false positives.
      process.env['SEARCH'] === '1' ? ['tests/**/*.search.ts'] : ['packages/*/src/**/*.test.ts', 'tests/**/*.test.ts'],
    // One project: with two, each has workers and transforms of its own, and loads the same modules again.
    globalSetup: 'tests/support/global-setup.ts',
  },
});
