import type { TurnRecord } from '../ports/index.js';
import type { Dispatch, Handover, Started, Step } from './runtime.js';
import type { Scheduler } from './scheduler.js';
import { readSituation } from './turn-state.js';

/** One process alone on its store runs what it causes. */
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

/** Once the step is kept. What it leaves behind is read now: later it may hold what is not kept yet. */
function wakeHere(scheduler: Scheduler<Handover>, step: Step, turn: TurnRecord, started: readonly Started[]): void {
  const situation = readSituation(step.tx, turn, step.snapshot);
  step.afterCommit(() => scheduler.wake(turn.id, { situation, started }));
}

export interface Others {
  /** May this process own another turn? Not while it shuts down, nor when others may count it as dead (S4). */
  mayOwn(): boolean;
  /** Tells the process that runs a turn to look at it again. */
  wake(turnId: string, owner: string): void;
  abort(turnId: string, reason: string): void;
}

/** Among several processes, too, a turn runs in the process that made it runnable. If that one may own none, a job hands it to another. */
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
