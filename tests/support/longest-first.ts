import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Take long for their size: by size alone they would start last and keep one core waiting for the other. */
const LONG = ['red-team/red-team', 'static-checks', 'postgres/store.test', 'postgres-soak', 'interleavings'];

/**
 * One project after the other, the longest files first; without a cache, the largest. Vitest ends a worker, with all the modules it
 * has loaded, when the next file is of another project.
 */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const bySize = await super.sort(files);
    return bySize.toSorted((one, other) => rank(other) - rank(one));
  }
}

/** The project of a few long files comes first: many short ones at the end keep all workers busy. */
function rank({ moduleId, project }: TestSpecification): number {
  if (project.name === 'browser') return 2;
  return LONG.some((part) => moduleId.includes(part)) ? 1 : 0;
}
