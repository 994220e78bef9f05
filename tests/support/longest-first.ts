import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Take long for their size: by size alone they would start last and keep one core waiting for the other. */
const LONG = ['red-team/red-team', 'static-checks', '/store.test', 'postgres-soak', 'interleavings', 'tests/bench'];

/** The longest files first; without a cache, the largest. */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const bySize = await super.sort(files);
    return bySize.toSorted((one, other) => rank(other) - rank(one));
  }
}

/** The few long files of the browser come first: many short ones at the end keep all workers busy. */
function rank({ moduleId }: TestSpecification): number {
  if (moduleId.includes('/tests/web/')) return 2;
  return LONG.some((part) => moduleId.includes(part)) ? 1 : 0;
}
