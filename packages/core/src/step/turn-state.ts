import type { StepTransaction } from '../facts/step-transaction.js';
import type { InvocationRecord, TurnRecord } from '../ports/index.js';
import { nextStep, type TurnSituation } from '../turn/next-step.js';
import type { WorldSnapshot } from '../memory/world-snapshot.js';

/** How a turn stands: what `nextStep` looks at, with the world as of it. */
export interface Situation extends TurnSituation {
  turn: TurnRecord;
  /** Those that are not settled. */
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

/** Only a person or a client can bring it further. */
export function waits(situation: Situation): boolean {
  return nextStep(situation).kind === 'wait';
}
