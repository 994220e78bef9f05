import { it, type TestContext } from 'vitest';

/** 0.05 in `npm test`, 1 in `npm run verify`, more in a search. */
export const runsFactor = Number(process.env['RUNS_FACTOR'] ?? 1);

/** Whether tests run at full size or more, as in `npm run verify`. */
export const isFullSize = runsFactor >= 1;

/**
 * Runs, rounds or files of a test: `full` in `npm run verify`, a twentieth in `npm test`, but never fewer than `least` (or
 * `full`, if that is smaller).
 */
export function scaled(full: number, least = 25): number {
  return Math.max(Math.min(full, least), Math.ceil(full * runsFactor));
}

/**
 * A test that only `npm run verify` runs. Elsewhere it isn't registered, so that it doesn't count as skipped. Its title
 * proves no rule: another test must, in `npm test`.
 */
export const itAtFullSize: (
  title: string,
  run: (context: TestContext) => Promise<void> | void,
  timeoutMs?: number,
) => void = isFullSize ? it : () => undefined;

/** All rows of a table at full size. In `npm test` only `count` of them: the first, and others evenly spread. */
export function sampled<Row>(rows: readonly Row[], count: number): readonly Row[] {
  if (isFullSize || count >= rows.length) return rows;
  const chosenUpTo = (at: number): number => Math.floor((at * count) / rows.length);
  return rows.filter((_, at) => chosenUpTo(at) > chosenUpTo(at - 1));
}
