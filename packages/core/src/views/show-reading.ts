import type { ReadingRules } from '@countersign/protocol';
import { offerReading } from '../policy/index.js';
import { noWorld, readSnapshot } from '../step/commit.js';
import type { Runtime } from '../step/runtime.js';

/** The rules to offer for a program in a world, as its rules are now. */
export async function showReading(runtime: Runtime, worldId: string, program: string): Promise<ReadingRules> {
  const snapshot = await readSnapshot(runtime, worldId);
  if (snapshot === undefined) throw noWorld(worldId);
  return offerReading(program, [snapshot.policy, snapshot.adminPolicy]);
}
