import { expect, it } from 'vitest';
import { emptyChat } from '../facts/derive.js';
import type { ChatRecord, StepReads, TurnRecord } from '../ports/index.js';
import { createAgentMemory } from '../memory/agent-memory.js';
import { createCallChats } from '../step/commit.js';
import { createQuarantine } from '../step/scheduler.js';
import type { Runtime } from '../step/runtime.js';
import { claimUnowned } from './take-over.js';

it('[STORE3] a wake-up and a sweep that claim the same suspect concurrently never admit a second suspect', async () => {
  const state = emptyChat({ id: 'c', worldId: 'w' } as ChatRecord);
  for (const id of ['a', 'b']) state.turns.set(id, suspect(id));
  const reads = { now: 0, worldRev: 1, chat: () => state, wroteElsewhere: () => false } as unknown as StepReads;
  const runtime = {
    process: { owner: 'run_1' },
    running: { quarantine: createQuarantine() },
    probe: () => undefined,
    caches: { snapshots: { at: () => ({}) }, memory: createAgentMemory(), callChats: createCallChats() },
    store: {
      step: async (_: string, __: unknown, decide: (on: StepReads) => object) => ({ ...decide(reads), events: [] }),
    },
  } as unknown as Runtime;
  const both = await Promise.all([suspect('a'), suspect('a')].map((turn) => claimUnowned(runtime, turn)));
  expect(both.toSorted()).toEqual(['mine', 'not-runnable']);
  expect(await claimUnowned(runtime, suspect('b'))).toBe('not-runnable');
  expect(runtime.running.quarantine.leave('a')).toBe(true);
  expect(await claimUnowned(runtime, suspect('b'))).toBe('mine');
});

function suspect(id: string): TurnRecord {
  return { id, worldId: 'w', chatId: 'c', state: 'open', owner: null, epoch: 1, interruptions: 2 } as TurnRecord;
}
