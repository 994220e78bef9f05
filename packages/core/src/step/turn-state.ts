import type { StepTransaction } from '../facts/step-transaction.js';
import type { InvocationRecord, TurnRecord } from '../ports/index.js';
import { nextStep, type TurnSituation } from '../turn/next-step.js';
import type { WorldSnapshot } from '../memory/world-snapshot.js';

/** The state of a turn: the input of `nextStep`, with its snapshot of the world. */
export interface Situation extends TurnSituation {
  turn: TurnRecord;
  /** The unsettled calls. */
  invocations: readonly InvocationRecord[];
  snapshot: WorldSnapshot;
}

export function readSituation(
  tx: Pick<StepTransaction, 'openCalls'>,
  turn: TurnRecord,
  snapshot: WorldSnapshot,
): Situation {
  const limits = snapshot.world.settings;
  const invocations = turn.iteration === 0 ? [] : tx.openCalls(turn);
  return { turn, invocations, limits, snapshot };
}

/** Whether the turn waits for a person or a client. */
export function waits(situation: Situation): boolean {
  return nextStep(situation).kind === 'wait';
}
