import type { Dispatch } from './runtime.js';
import type { Scheduler } from './scheduler.js';

/** One process alone on its store runs what it causes. */
export function dispatchHere(owner: string, scheduler: Scheduler): Dispatch {
  return {
    owner,
    wake(step, turnId) {
      const place = step.tx.turn(turnId);
      step.afterCommit(() => scheduler.wake(turnId, place));
    },
    abort: (turnId, reason) => scheduler.abort(turnId, reason),
  };
}

export interface Others {
  /** May this process own another turn? Not while it shuts down, nor when others may count it as dead (S4). */
  mayOwn(): boolean;
  /** Tells the process that runs a turn to look at it again. */
  wake(turnId: string, owner: string): void;
  abort(turnId: string, reason: string): void;
}

/** Among several processes, too, a turn runs in the process that made it runnable. If that one may own none, a job hands it to another. */
export function dispatchAmongOthers(owner: string, scheduler: Scheduler, others: Others): Dispatch {
  return {
    get owner() {
      return others.mayOwn() ? owner : null;
    },
    wake(step, turnId) {
      const turn = step.tx.turn(turnId);
      if (turn === undefined) return;
      const runsIn = turn.owner;
      if (runsIn === null) step.tx.wakeTurn(turnId);
      else step.afterCommit(() => (runsIn === owner ? scheduler.wake(turnId, turn) : others.wake(turnId, runsIn)));
    },
    abort(turnId, reason) {
      scheduler.abort(turnId, reason);
      others.abort(turnId, reason);
    },
  };
}
