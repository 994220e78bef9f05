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
