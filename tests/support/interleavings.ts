import type fc from 'fast-check';
import { checkInvariants } from '../../packages/countersign/src/testing/check-invariants.js';
import type { Command } from '../../packages/countersign/src/testing/lab-commands.js';
import { isFullSize, runsFactor } from './scaled.js';

/** One run takes 20 ms of CPU, so below full size there are half as many as in other tests. */
const factor = isFullSize ? runsFactor : runsFactor / 2;
/** Most bugs show within a few commands; some need many. */
const SHORT = { runs: Math.ceil(2_450 * factor), longest: 6 };
const LONG = { runs: Math.ceil(50 * factor), longest: 40 };
export const RUNS = SHORT.runs + LONG.runs;
export const LIMIT_MS = 300_000 * Math.max(1, factor);

/** Runs short and long lists of random commands; see `checkInvariants`. Returns the number of runs. */
export async function checkInterleavings(commands: fc.WeightedArbitrary<Command>[]): Promise<number> {
  const runs = (await checkInvariants(commands, SHORT)) + (await checkInvariants(commands, LONG));
  process.stdout.write(`${runs} interleavings\n`);
  return runs;
}
