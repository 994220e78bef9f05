import { describe, expect, it } from 'vitest';
import { holdPromises } from './testing/hold-promises.js';
import { change, death, talk } from './testing/lab-arbitraries.js';

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

describe('any order of answers, decisions, results, stops, deaths and restarts', () => {
  it(
    '[A8] [A9] [S1] [S3] loses nothing and runs nothing twice',
    async () => {
      expect(await hold([...talk, ...death])).toBe(SHORT.runs + LONG.runs);
    },
    LIMIT_MS,
  );
  it(
    '[A6] [A7] [A16] [M11] [S3] comes to rest with nothing half told',
    async () => {
      expect(await hold([...talk, ...change, ...death])).toBe(SHORT.runs + LONG.runs);
    },
    LIMIT_MS,
  );
});
