import type { Timeline } from '@countersign/protocol';

/** The turn that began last, in whatever order they come. */
export function newest(turns: readonly Timeline[]): Timeline | undefined {
  return turns.reduce<Timeline | undefined>(
    (found, turn) => (found === undefined || turn.startedAt >= found.startedAt ? turn : found),
    undefined,
  );
}
