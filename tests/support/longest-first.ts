import { readFileSync } from 'node:fs';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Slow for their size: sorted by size alone, they would start last and leave a core idle. */
const LONG = ['/store.test', 'postgres-soak', 'interleavings', 'tests/bench', 'tests/install'];

/**
 * Tests that start programs run first, also those that do it through a fixture. Each start copies the page tables of the worker, which grows with
 * every file: at 600 MB a start takes three times the CPU of one at 200 MB.
 */
const STARTS_PROGRAMS =
  /child_process|findSandbox|acp-world|openHome|countersign\/dist|\/(?:shared-sandbox|git-draft|run-fixture|run-ground|run-lab|start-process|pseudo-terminal|tmux)\.js|runCommand|\.terminal\(/;
const FOLDERS_THAT_START_PROGRAMS = /\/tests\/(?:many-processes|mcp|red-team)\//;

/**
 * Files that start programs or browsers, then the longest; without a cache, the largest. Browsers need both cores, and the other programs
 * mostly wait, so they take turns.
 */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const ranked = (await super.sort(files)).map((file) => ({ file, rank: rank(file) }));
    const of = (wanted: number): TestSpecification[] =>
      ranked.filter((each) => each.rank === wanted).map(({ file }) => file);
    return [...inTurns(of(3), of(2)), ...[1, 0, -1].flatMap(of)];
  }
}

/** Many short files at the end keep all workers busy. */
function rank({ moduleId }: TestSpecification): number {
  // Waits for programs that run beside the workers.
  if (moduleId.includes('/static-checks')) return -1;
  if (moduleId.includes('/tests/web/')) return 2;
  if (FOLDERS_THAT_START_PROGRAMS.test(moduleId) || STARTS_PROGRAMS.test(readFileSync(moduleId, 'utf8'))) return 3;
  return LONG.some((part) => moduleId.includes(part)) ? 1 : 0;
}

/** Spreads the shorter list evenly over the longer one. */
function inTurns<T>(one: readonly T[], other: readonly T[]): T[] {
  const place = (list: readonly T[]) => list.map((item, index) => ({ item, at: (index + 0.5) / list.length }));
  return [...place(one), ...place(other)].toSorted((a, b) => a.at - b.at).map(({ item }) => item);
}
