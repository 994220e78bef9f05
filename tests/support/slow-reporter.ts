import type { Reporter, TestModule } from 'vitest/node';

const SHOWN = 20;

/** Prints the slowest files of a run, for `npm run test:slow`. CPU time includes child processes, but not shared ones like PostgreSQL. */
export default class SlowReporter implements Reporter {
  onTestRunEnd(modules: ReadonlyArray<TestModule>): void {
    const rows = modules
      .map((module) => {
        const { collectDuration, duration } = module.diagnostic();
        return { file: module.relativeModuleId, ms: collectDuration + duration, cpu: module.meta().cpuSeconds };
      })
      .toSorted((one, other) => other.ms - one.ms);
    const total = rows.reduce((sum, { ms }) => sum + ms, 0);
    const slowest = rows.slice(0, SHOWN);
    const share = Math.round((slowest.reduce((sum, { ms }) => sum + ms, 0) / Math.max(1, total)) * 100);
    process.stdout.write(
      [
        '',
        `The slowest ${slowest.length} of ${rows.length} files (${share} % of the time):`,
        `${'wall'.padStart(8)} ${'CPU'.padStart(8)}`,
        ...slowest.map(({ file, ms, cpu }) => `${seconds(ms / 1000)} ${seconds(cpu)}  ${file}`),
        '',
      ].join('\n'),
    );
  }
}

function seconds(value: number | undefined): string {
  return (value === undefined ? '–' : `${value.toFixed(1)} s`).padStart(8);
}
