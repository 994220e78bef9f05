import { describe, expect, it } from 'vitest';
import { holdPromises } from './testing/hold-promises.js';
import { change, talk } from './testing/lab-arbitraries.js';

const LIMIT_MS = 300_000;
/** Multiplied by `RUNS_FACTOR`, for a long search by hand. */
const FACTOR = Number(process.env['RUNS_FACTOR'] ?? 1);
const SHORT = { runs: 2_450 * FACTOR, longest: 6 };
const LONG = { runs: 50 * FACTOR, longest: 40 };

async function hold(commands: Parameters<typeof holdPromises>[0]): Promise<number> {
  const runs = (await holdPromises(commands, SHORT)) + (await holdPromises(commands, LONG));
  process.stdout.write(`${runs} interleavings\n`);
  return runs;
}

describe('any order of answers, messages, decisions, results and stops', () => {
  it(
    '[T1] [T2] [T4] [T5] [T6] [T8] [T9] keeps tool turns in order',
    async () => {
      expect(await hold(talk)).toBe(SHORT.runs + LONG.runs);
    },
    LIMIT_MS,
  );
  it(
    '[A4] [A5] [A6] [A7] [A8] [M9] [W5] runs what was signed, once',
    async () => {
      expect(await hold([...talk, ...change])).toBe(SHORT.runs + LONG.runs);
    },
    LIMIT_MS,
  );
});
