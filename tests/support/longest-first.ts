import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Slow for their size: sorted by size alone, they would start last and leave a core idle. */
const LONG = ['/store.test', 'postgres-soak', 'interleavings', 'tests/bench', 'tests/install'];

/**
 * Files that start hundreds of programs. Each start copies the page tables of the worker, which grows with every file: at 600 MB a
 * start takes three times the CPU of one at 200 MB.
 */
const STARTS_PROGRAMS = /\/packages\/tools\/src\/(?:sandbox|shell)\/|\/tests\/(?:mcp|red-team)\/|\/crash\.test/;

/** Files that start programs, then the longest; without a cache, the largest. */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const bySize = await super.sort(files);
    return bySize.toSorted((one, other) => rank(other) - rank(one));
  }
}

/** The few long browser files come early: many short ones at the end keep all workers busy. */
function rank({ moduleId }: TestSpecification): number {
  // Waits for programs that run beside the workers.
  if (moduleId.includes('/static-checks')) return -1;
  if (STARTS_PROGRAMS.test(moduleId)) return 3;
  if (moduleId.includes('/tests/web/')) return 2;
  return LONG.some((part) => moduleId.includes(part)) ? 1 : 0;
}
