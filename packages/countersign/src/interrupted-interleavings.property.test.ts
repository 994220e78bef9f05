import { describe, expect, it } from 'vitest';
import { checkInterleavings, LIMIT_MS, RUNS } from '../../../tests/support/interleavings.js';
import { change, death, talk } from './testing/lab-arbitraries.js';
import { finish, perform } from './testing/lab-commands.js';
import { findViolations } from './testing/lab-invariants.js';
import { readRecord } from './testing/lab-record.js';
import { closeLab, openBench, openLab } from './testing/lab.js';

describe('any order of responses, decisions, results, stops, crashes and restarts', () => {
  it(
    '[CALL8] [CALL9] [STORE1] [STORE3] loses nothing and runs nothing twice',
    async () => {
      expect(await checkInterleavings([...talk, ...death])).toBe(RUNS);
    },
    LIMIT_MS,
  );
  it(
    '[CALL6] [CALL7] [LOG1] [WORLD11] [STORE3] settles with no partial records',
    async () => {
      expect(await checkInterleavings([...talk, ...change, ...death])).toBe(RUNS);
    },
    LIMIT_MS,
  );
});

it('[STORE3.3] [CALL9] a turn that was interrupted twice ends with an error and leaves no approval pending', async () => {
  const bench = await openBench({ maxParallelTools: 1, maxIterations: 4 });
  const lab = await openLab(bench);
  const calls = (['sync', 'remove'] as const).map((tool) => ({ tool, n: 0, vendorId: '' }));
  await perform(lab, { do: 'send', chat: 0, to: 'ada', again: false, ticks: 'all' });
  await perform(lab, { do: 'model', pick: 0, reply: { kind: 'calls', calls }, ticks: 'all' });
  for (let deaths = 0; deaths < 2; deaths += 1) await perform(lab, { do: 'crash', after: 0, ticks: 'all' });
  await finish(lab, () => true);
  const record = await readRecord(lab);
  expect(findViolations(lab, record)).toEqual([]);
  expect(record.turns.map(({ outcome }) => outcome)).toEqual(['interrupted']);
  expect(record.approvals.map(({ status, reason }) => [status, reason])).toEqual([
    ['denied', 'the turn was interrupted too many times'],
  ]);
  expect(record.messages.at(-1)?.content).toContain('interrupted 2 times');
  await closeLab(lab);
  await bench.store.close();
});

it('[STORE3.4] turns that were interrupted together twice run one at a time, and only the one interrupted again ends', async () => {
  const bench = await openBench({ maxParallelTools: 1, maxIterations: 4 });
  const lab = await openLab(bench);
  const asked = (): string[] => lab.models.map(({ request }) => String(request.messages.at(-1)?.content));
  for (const chat of [0, 1] as const) await perform(lab, { do: 'send', chat, to: 'ada', again: false, ticks: 'all' });
  expect(asked()).toHaveLength(2);
  for (let deaths = 0; deaths < 2; deaths += 1) {
    await perform(lab, { do: 'crash', after: 0, ticks: 'all' });
    await perform(lab, { do: 'advance', ms: 1, ticks: 'all' });
  }
  expect(asked()).toHaveLength(1);
  await perform(lab, { do: 'crash', after: 0, ticks: 'all' });
  await finish(lab, () => true);
  const record = await readRecord(lab);
  expect(findViolations(lab, record)).toEqual([]);
  expect(record.turns.map(({ outcome, interruptions }) => [outcome, interruptions])).toEqual([
    ['interrupted', 3],
    ['answered', 2],
  ]);
  await closeLab(lab);
  await bench.store.close();
});

it('[STORE3] turns that were interrupted twice together are all answered in sequence if nothing interrupts them again', async () => {
  const bench = await openBench({ maxParallelTools: 1, maxIterations: 4 });
  const lab = await openLab(bench);
  for (const chat of [0, 1] as const) await perform(lab, { do: 'send', chat, to: 'ada', again: false, ticks: 'all' });
  for (let deaths = 0; deaths < 2; deaths += 1) await perform(lab, { do: 'crash', after: 0, ticks: 'all' });
  await finish(lab, () => true);
  const record = await readRecord(lab);
  expect(findViolations(lab, record)).toEqual([]);
  expect(record.turns.map(({ outcome }) => outcome)).toEqual(['answered', 'answered']);
  await closeLab(lab);
  await bench.store.close();
});

it('[STORE3] a decision in between resets the count of interruptions', async () => {
  const bench = await openBench({ maxParallelTools: 1, maxIterations: 4 });
  const lab = await openLab(bench);
  const calls = [{ tool: 'remove' as const, n: 0, vendorId: '' }];
  const approve = { decision: 'approve', scope: 'once', how: 'plain', times: 1, pending: true } as const;
  await perform(lab, { do: 'send', chat: 0, to: 'ada', again: false, ticks: 'all' });
  await perform(lab, { do: 'crash', after: 0, ticks: 'all' });
  // The next process resumes the turn and calls the model again.
  await perform(lab, { do: 'advance', ms: 1, ticks: 'all' });
  await perform(lab, { do: 'model', pick: 0, reply: { kind: 'calls', calls }, ticks: 'all' });
  await perform(lab, { do: 'decide', pick: 0, ...approve, ticks: 'all' });
  await perform(lab, { do: 'crash', after: 0, ticks: 'all' });
  await finish(lab, () => true);
  const record = await readRecord(lab);
  expect(findViolations(lab, record)).toEqual([]);
  expect(record.turns.map(({ outcome, interruptions }) => [outcome, interruptions])).toEqual([['answered', 1]]);
  await closeLab(lab);
  await bench.store.close();
});
