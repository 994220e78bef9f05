import { configDefaults, defineConfig } from 'vitest/config';
import { TEST_CACHE } from './tests/support/test-cache.js';
import { switchOffChecks } from './tests/authority/switch-off-checks.js';
import LongestFirst from './tests/support/longest-first.js';

/**
 * `npm test` has just built: packages then load each other's built modules, as Node does, which takes a tenth less CPU than transforming all sources. A
 * package's own tests still load its sources. Everything else tests the sources: a stale `dist` must never make a test pass or fail.
 */
const usesBuild = process.env['npm_lifecycle_event'] === 'test';
// Vitest passes these conditions to Node as well. If they included 'import', Node would load ES modules where CommonJS is required.
const conditions = usesBuild ? ['node'] : ['@countersign/source', 'node'];
// Its bundle contains the other packages: tests that import one of them too would have two of each class.
const bundled = { index: /^countersign$/, server: /^countersign\/server$/ };
const alias = Object.entries(usesBuild ? bundled : {}).map(([name, find]) => ({
  find,
  replacement: new URL(`packages/countersign/src/${name}.ts`, import.meta.url).pathname,
}));

/** `npm run test:slow` prints the slowest files. */
const isSlow = process.env['npm_lifecycle_event'] === 'test:slow';

/** `npm run verify -- --only authority` switches off the checks of authority, one after the other. */
const isMutated = process.env['AUTHORITY_MUTANTS'] !== undefined;

export default defineConfig({
  plugins: isMutated ? [switchOffChecks()] : [],
  resolve: { conditions, alias },
  ssr: { resolve: { conditions } },
  test: {
    setupFiles: ['tests/support/seed.ts', ...(isSlow ? ['tests/support/measure-cpu.ts'] : [])],
    reporters: [
      'default',
      ...(isSlow ? ['./tests/support/slow-reporter.ts'] : []),
      './tests/support/tally-reporter.ts',
    ],
    ...(usesBuild ? { server: { deps: { external: [/\/packages\/[\w-]+\/dist\//] } } } : {}),
    pool: 'forks',
    // Modules are loaded once per worker, not once per file: importing took a sixth of a run. Tests must not rely on fresh module state.
    isolate: false,
    // The size of property, fuzz and crash tests. `npm run verify` runs them at full size, 1; with more than 1, they search with random seeds.
    // Tests must not store keys in the keychain of the person who runs them, nor drop what that person can undo.
    env: {
      RUNS_FACTOR: process.env['RUNS_FACTOR'] ?? '0.05',
      COUNTERSIGN_KEYCHAIN: 'off',
      XDG_CACHE_HOME: TEST_CACHE,
    },
    sequence: { sequencer: LongestFirst },
    // Tuned for two cores. Tests wait for servers, browsers and databases, so more workers than cores use that time. Six browser files
    // took 85 s with three workers, and 103 s with four.
    maxWorkers: 3,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // A worker may need more than the default of 10 s to exit on a busy machine. Vitest would then print a message after the tally,
    // which must be the last line.
    teardownTimeout: 60_000,
    // A condition that is met is detected immediately. On a busy machine, how long it takes is not meaningful, so the timeout is long.
    expect: { poll: { timeout: 30_000 } },
    include:
      // `npm run search`: a search for bugs that may report false positives.
      process.env['SEARCH'] === '1' ? ['tests/**/*.search.ts'] : ['packages/*/src/**/*.test.ts', 'tests/**/*.test.ts'],
    // These run real coding agents for minutes, or have only one long test: only in `npm run verify`.
    exclude: [
      ...configDefaults.exclude,
      ...(Number(process.env['RUNS_FACTOR'] ?? 0) >= 1
        ? []
        : ['tests/agents/**', 'tests/web/rounds.test.ts', 'tests/web/run-port.test.ts']),
      ...(isMutated ? [] : ['tests/authority/mutants.test.ts']),
    ],
    // One project: with two, each would have its own workers and transforms, and load the same modules again.
    globalSetup: 'tests/support/global-setup.ts',
  },
});
