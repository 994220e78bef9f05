import type { StepTransaction } from '../facts/step-transaction.js';
import type { InvocationRecord, InvocationStatus, TurnChange, TurnRecord } from '../ports/index.js';
import { isSettled, nextStep, type TurnSituation } from '../turn/next-step.js';
import type { WorldSnapshot } from '../memory/world-snapshot.js';

/** How a turn stands: what `nextStep` looks at, with the world as of it. */
export interface Situation extends TurnSituation {
  turn: TurnRecord;
  /** Those that are not settled. */
  invocations: readonly InvocationRecord[];
  snapshot: WorldSnapshot;
}

type OpenCalls = Pick<StepTransaction, 'openCalls'>;

export function readSituation(tx: OpenCalls, turn: TurnRecord, snapshot: WorldSnapshot): Situation {
  const limits = snapshot.world.settings;
  const invocations = turn.iteration === 0 ? [] : tx.openCalls(turn);
  return { turn, invocations, limits, snapshot };
}

/** A change of state, or none: a state that is written again, even the same, costs two index pages. */
export function intoState(turn: Pick<TurnRecord, 'state'>, state: 'open' | 'waiting'): Pick<TurnChange, 'state'> {
  return turn.state === state ? {} : { state };
}

/** How a turn will stand once one of its calls has changed: `waiting` when only somebody else can bring it further. */
export function situationAfter(
  tx: OpenCalls,
  turn: TurnRecord,
  snapshot: WorldSnapshot,
  change: { invocationId: string; status: InvocationStatus },
): Situation & { turn: { state: 'open' | 'waiting' } } {
  const situation = readSituation(tx, turn, snapshot);
  const invocations = situation.invocations
    .map((call) => (call.id === change.invocationId ? { ...call, status: change.status } : call))
    .filter((call) => !isSettled(call.status));
  const state = nextStep({ ...situation, invocations }).kind === 'wait' ? 'waiting' : 'open';
  return { ...situation, invocations, turn: { ...turn, rev: turn.rev + 1, state } };
}
