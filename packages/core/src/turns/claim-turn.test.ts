import { expect, it } from 'vitest';
import type { TurnRecord } from '../ports/index.js';
import { createQuarantine } from '../step/quarantine.js';
import type { Runtime } from '../step/runtime.js';
import { claimUnowned } from './claim-turn.js';

it('[S3] a wake-up and a round that claim the same suspect at once let no second one in beside it', async () => {
  const owners = new Map<string, string>();
  const tx = {
    claimTurn: async (turn: TurnRecord, { owner }: { owner: string }) =>
      owners.has(turn.id) ? undefined : (owners.set(turn.id, owner), turn),
  };
  const runtime = {
    owner: 'run_1',
    quarantine: createQuarantine(),
    probe: () => undefined,
    snapshots: async () => ({}),
    store: {
      transact: async (_: string, work: (on: typeof tx) => Promise<unknown>) => ({ value: await work(tx), events: [] }),
    },
  } as unknown as Runtime;
  const suspect = (id: string) => ({ id, worldId: 'w', interruptions: 2 }) as TurnRecord;
  const both = await Promise.all([suspect('a'), suspect('a')].map((turn) => claimUnowned(runtime, turn)));
  expect(both.toSorted()).toEqual(['mine', 'not-runnable']);
  expect(await claimUnowned(runtime, suspect('b'))).toBe('not-runnable');
  expect(runtime.quarantine.leave('a')).toBe(true);
  expect(await claimUnowned(runtime, suspect('b'))).toBe('mine');
});
