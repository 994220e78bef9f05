import type { TurnRecord } from '../ports/index.js';
import type { Dispatch, Handover, Started, Step } from './runtime.js';
import type { Scheduler } from './scheduler.js';
import { readSituation } from './turn-state.js';

/** A single process runs the turns that it makes runnable. */
export function dispatchHere(owner: string, scheduler: Scheduler<Handover>): Dispatch {
  return {
    owner,
    wake(step, turnId, started = []) {
      const turn = step.tx.turn(turnId);
      if (turn !== undefined) wakeHere(scheduler, step, turn, started);
    },
    abort: (turnId, reason) => scheduler.abort(turnId, reason),
  };
}

/** Runs after the commit. The situation is read now, because later it may include uncommitted changes. */
function wakeHere(scheduler: Scheduler<Handover>, step: Step, turn: TurnRecord, started: readonly Started[]): void {
  const situation = readSituation(step.tx, turn, step.snapshot);
  step.afterCommit(() => scheduler.wake(turn.id, { situation, started }));
}

export interface Others {
  /** Whether this process may own another turn. False during shutdown, or if others may consider it dead (S4). */
  mayOwn(): boolean;
  /** Tells the process that runs a turn to read it again. */
  wake(turnId: string, owner: string): void;
  abort(turnId: string, reason: string): void;
}

/** With several processes, a turn runs in the process that made it runnable. If that one may not own it, a job passes it to another. */
export function dispatchAmongOthers(owner: string, scheduler: Scheduler<Handover>, others: Others): Dispatch {
  return {
    get owner() {
      return others.mayOwn() ? owner : null;
    },
    wake(step, turnId, started = []) {
      const turn = step.tx.turn(turnId);
      if (turn === undefined) return;
      const runsIn = turn.owner;
      if (runsIn === null) step.tx.wakeTurn(turnId);
      else if (runsIn === owner) wakeHere(scheduler, step, turn, started);
      else step.afterCommit(() => others.wake(turnId, runsIn));
    },
    abort(turnId, reason) {
      scheduler.abort(turnId, reason);
      others.abort(turnId, reason);
    },
  };
}
