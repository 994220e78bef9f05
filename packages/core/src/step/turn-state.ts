import type { InvocationStatus, OpenCall, StoreReader, TurnChange, TurnRecord } from '../ports/index.js';
import { isSettled, nextStep, type TurnSituation } from '../turn/next-step.js';
import type { WorldSnapshot } from '../memory/world-snapshot.js';

/** How a turn stands: what `nextStep` looks at, with the world as of it. */
export interface Situation extends TurnSituation {
  turn: TurnRecord;
  /** Those that are not settled, or enough of them to tell what comes next. */
  invocations: readonly OpenCall[];
  snapshot: WorldSnapshot;
}

export async function readSituation(
  reader: StoreReader,
  turn: TurnRecord,
  snapshot: WorldSnapshot,
): Promise<Situation> {
  const limits = snapshot.world.settings;
  // One more than can run: what is left must be enough also when one of them is about to change.
  const limit = limits.maxParallelTools + 1;
  const invocations = turn.iteration === 0 ? [] : await reader.openCalls(turn.id, turn.iteration, { limit });
  return { turn, invocations, limits, snapshot };
}

/** A change of state, or none: a state that is written again, even the same, costs two index pages. */
export function intoState(turn: Pick<TurnRecord, 'state'>, state: 'open' | 'waiting'): Pick<TurnChange, 'state'> {
  return turn.state === state ? {} : { state };
}

/** How a turn will stand once one of its calls has changed: `waiting` when only somebody else can bring it further. */
export async function situationAfter(
  reader: StoreReader,
  turn: TurnRecord,
  snapshot: WorldSnapshot,
  change: { invocationId: string; status: InvocationStatus },
): Promise<Situation & { turn: { state: 'open' | 'waiting' } }> {
  const situation = await readSituation(reader, turn, snapshot);
  const invocations = situation.invocations
    .map((call) => (call.id === change.invocationId ? { ...call, status: change.status } : call))
    .filter((call) => !isSettled(call.status));
  const state = nextStep({ ...situation, invocations }).kind === 'wait' ? 'waiting' : 'open';
  return { ...situation, invocations, turn: { ...turn, rev: turn.rev + 1, state } };
}
