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

/** With several processes: the wake-up is written in the step that causes it, and the process that gets it claims the turn. */
export function dispatchAnywhere(scheduler: Scheduler, tell: (turnId: string, reason: string) => void): Dispatch {
  return {
    owner: null,
    wake: (step, turnId) => step.tx.wakeTurn(turnId),
    abort(turnId, reason) {
      scheduler.abort(turnId, reason);
      tell(turnId, reason);
    },
  };
}
