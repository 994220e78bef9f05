import type { StoreReader } from '../ports/index.js';
import type { ScheduleFact } from '../facts/world-fact.js';
import { changeWorld, mustHaveChanged } from '../step/commit.js';
import type { Runtime } from '../step/runtime.js';
import { writeFact } from '../step/write-fact.js';

/** Writes what `decide` returns, if anything. `decide` is called again if another process has changed the schedule in the meantime. */
export async function changeSchedule<T>(
  runtime: Runtime,
  worldId: string,
  decide: (reader: StoreReader) => Promise<{ value: T; fact?: Omit<ScheduleFact, 'kind'> }>,
): Promise<T> {
  return await changeWorld(runtime, 'change-schedule', worldId, async ({ tx }) => {
    const { value, fact } = await decide(tx);
    if (fact !== undefined) mustHaveChanged(await writeFact(tx, { kind: 'schedule-changed', ...fact }));
    return value;
  });
}
