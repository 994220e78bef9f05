import { SYSTEM } from '@countersign/protocol';
import { expect, it } from 'vitest';
import { createAgentMemory } from '../memory/agent-memory.js';
import { createSnapshotCache } from '../memory/world-snapshot.js';
import type { StepReads, Store, StoreReader, WorldRecord } from '../ports/index.js';
import { createCallChats, commit } from './commit.js';
import type { Caches, Runtime } from './runtime.js';

function reader(rev: number, policy: string[]): StoreReader {
  const world = { id: 'w', rev, policy, settings: {} } as unknown as WorldRecord;
  const found = { now: () => 1, worldRev: async () => rev, world: async () => world, agents: async () => [] };
  return found as Partial<StoreReader> as StoreReader;
}

it('[RULE1] rules from a step that was rolled back never replace the committed ones in the cache', async () => {
  const snapshots = createSnapshotCache();
  await snapshots.read(reader(1, []), 'w');
  const step: Store['step'] = async (_, __, decide) => {
    decide({ now: 1, worldRev: 1 } as StepReads);
    // Another reader in the same commit caches it, and then the commit fails.
    await snapshots.read(reader(2, ['allow remove']), 'w');
    throw new Error('the disk is full');
  };
  const runtime = {
    store: { step } as Partial<Store> as Store,
    caches: { snapshots, memory: createAgentMemory(), callChats: createCallChats() } as Partial<Caches> as Caches,
    probe: () => undefined,
  } as Partial<Runtime> as Runtime;
  const deciding = commit(runtime, 'decision', 'w', { chats: [] }, ({ tx }) =>
    tx.write({ kind: 'agent-removed', worldId: 'w', agentId: 'a', by: { who: SYSTEM, via: 'test' } }),
  );
  await expect(deciding).rejects.toThrow('the disk is full');
  expect((await snapshots.read(reader(2, ['deny remove']), 'w'))?.world.policy).toEqual(['deny remove']);
});
