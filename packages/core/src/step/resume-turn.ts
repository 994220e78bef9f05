import type { InvocationStatus, TurnRecord } from '../ports/index.js';
import { isSuspect } from './quarantine.js';
import { mustHaveChanged, type Runtime, type Started, type Step } from './runtime.js';
import { noteActivity } from './turn-lifecycle.js';
import { intoState, situationAfter } from './turn-state.js';

/**
 * Something is about to be recorded that may bring a turn further: one of its calls changes to `change.status`. The turn is marked as
 * runnable, its `rev` raised, so that a loop about to leave looks again, and, once kept, it is woken (S1).
 *
 * Gives what is left to do at the end of the step.
 */
export function resumeTurn(
  runtime: Runtime,
  step: Step,
  turnId: string,
  change: { invocationId: string; status: InvocationStatus },
): Resumed {
  const turn = step.tx.turn(turnId);
  if (turn === undefined || turn.state === 'queued') throw new Error('only a turn that has begun can go on');
  const state = takeTurn(runtime, step, turn, change);
  return {
    finish: (started) => {
      if (state === 'open') runtime.dispatch.wake(step, turn.id, started);
      if (state !== turn.state) noteActivity(runtime, step, turn.chatId);
    },
  };
}

function takeTurn(
  runtime: Runtime,
  step: Step,
  turn: TurnRecord,
  change: { invocationId: string; status: InvocationStatus },
): 'open' | 'waiting' {
  const { state } = situationAfter(step.tx, turn, step.snapshot, change).turn;
  // No process runs a waiting turn, whichever one its row names: left there, a decision after a restart would go unnoticed (A9).
  // A suspect waits until it may run alone.
  const isOrphan = turn.state === 'open' && turn.owner === null && !isSuspect(turn);
  const owner = isOrphan || turn.state === 'waiting' ? runtime.dispatch.owner : turn.owner;
  // It got as far as a person: what froze its process before is not what would freeze the next one.
  const interruptions = turn.state === 'waiting' ? 0 : turn.interruptions;
  const taken = {
    ...intoState(turn, state),
    ...(owner === turn.owner ? {} : { owner }),
    ...(interruptions === turn.interruptions ? {} : { interruptions }),
  };
  // A process that lost it may be only frozen: it must not settle what it had started.
  if (isOrphan && owner !== null) mustHaveChanged(step.tx.fenceTurn(turn.id, taken) !== undefined);
  else mustHaveChanged(step.tx.stepTurn(turn, taken));
  return state;
}

interface Resumed {
  /** Once all is written. `started`: calls that were started in the step. */
  finish(started?: readonly Started[]): void;
}
