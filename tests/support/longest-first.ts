import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Slow for their size: sorted by size alone, they would start last and leave a core idle. */
const LONG = ['/store.test', 'postgres-soak', 'interleavings', 'tests/bench', 'tests/install'];

/**
 * Files that start hundreds of programs. Each start copies the page tables of the worker, which grows with every file: at 600 MB a
 * start takes three times the CPU of one at 200 MB.
 */
const STARTS_PROGRAMS = /\/packages\/tools\/src\/(?:sandbox|shell)\/|\/tests\/(?:mcp|red-team)\/|\/crash\.test/;

/**
 * Files that start programs or browsers, then the longest; without a cache, the largest. Browsers need both cores, and the other programs
 * mostly wait, so they take turns.
 */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const bySize = await super.sort(files);
    const ranked = bySize.toSorted((one, other) => rank(other) - rank(one));
    const programs = ranked.filter((file) => rank(file) === 3);
    const browsers = ranked.filter((file) => rank(file) === 2);
    return [...inTurns(programs, browsers), ...ranked.slice(programs.length + browsers.length)];
  }
}

/** Many short files at the end keep all workers busy. */
function rank({ moduleId }: TestSpecification): number {
  // Waits for programs that run beside the workers.
  if (moduleId.includes('/static-checks')) return -1;
  if (STARTS_PROGRAMS.test(moduleId)) return 3;
  if (moduleId.includes('/tests/web/')) return 2;
  return LONG.some((part) => moduleId.includes(part)) ? 1 : 0;
}

/** Spreads the shorter list evenly over the longer one. */
function inTurns<T>(one: readonly T[], other: readonly T[]): T[] {
  const place = (list: readonly T[]) => list.map((item, index) => ({ item, at: (index + 0.5) / list.length }));
  return [...place(one), ...place(other)].toSorted((a, b) => a.at - b.at).map(({ item }) => item);
}
