import type { Reporter, TestModule } from 'vitest/node';

/**
 * Prints `N passed, N failed` on a separate last line. Errors outside a test (a file that could not be loaded, a hook,
 * an unhandled rejection) count as failed too: otherwise a run that exits non-zero could print "0 failed".
 */
export default class TallyReporter implements Reporter {
  onTestRunEnd(modules: ReadonlyArray<TestModule>, unhandledErrors: ReadonlyArray<unknown>): void {
    let passed = 0;
    let failed = unhandledErrors.length;
    let skipped = 0;
    for (const module of modules) {
      failed += module.errors().length;
      for (const suite of module.children.allSuites()) failed += suite.errors().length;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === 'passed') passed += 1;
        if (state === 'failed') failed += 1;
        if (state === 'skipped') skipped += 1;
      }
    }
    // In a full run, tests are skipped only because of a missing program, which the global setup names (LEFT OUT).
    if (skipped > 0) process.stdout.write(`\n${skipped} skipped\n`);
    process.stdout.write(`\n${passed} passed, ${failed} failed\n`);
  }
}
