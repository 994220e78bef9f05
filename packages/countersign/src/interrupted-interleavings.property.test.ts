import { describe, expect, it } from 'vitest';
import { holdPromises } from './testing/hold-promises.js';
import { change, death, talk } from './testing/lab-arbitraries.js';
import { finish, perform } from './testing/lab-commands.js';
import { brokenPromises } from './testing/lab-invariants.js';
import { readRecord } from './testing/lab-record.js';
import { closeLab, openBench, openLab } from './testing/lab.js';

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

// Chance alone does not kill one turn five times while it asks.
it('[S3] [A9] a turn that was interrupted five times ends in words and leaves no question open', async () => {
  const bench = await openBench({ maxParallelTools: 1, maxIterations: 4 });
  const lab = await openLab(bench);
  const calls = (['sync', 'remove'] as const).map((tool) => ({ tool, n: 0, vendorId: '' }));
  await perform(lab, { do: 'send', chat: 0, to: 'ada', again: false, ticks: 'all' });
  await perform(lab, { do: 'model', pick: 0, reply: { kind: 'calls', calls }, ticks: 'all' });
  for (let deaths = 0; deaths < 5; deaths += 1) await perform(lab, { do: 'crash', after: 0, ticks: 'all' });
  await finish(lab, () => true);
  const record = await readRecord(lab);
  expect(brokenPromises(lab, record)).toEqual([]);
  expect(record.turns.map(({ outcome }) => outcome)).toEqual(['interrupted']);
  expect(record.approvals.map(({ status, reason }) => [status, reason])).toEqual([
    ['denied', 'the turn was interrupted too often'],
  ]);
  expect(record.messages.at(-1)?.content).toContain('interrupted 5 times');
  await closeLab(lab);
  await bench.store.close();
});
