import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Begins with what takes longest: begun last, it would keep one core waiting for the other. Without a cache, files go by their size. */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const bySize = await super.sort(files);
    return bySize.toSorted((one, other) => Number(isLong(other)) - Number(isLong(one)));
  }
}

function isLong({ moduleId }: TestSpecification): boolean {
  return moduleId.includes('interleavings');
}
