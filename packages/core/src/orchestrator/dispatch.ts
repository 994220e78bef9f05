import type { Step } from './runtime.js';
import type { Scheduler } from './scheduler.js';

/** Where turns run that a step has made runnable. */
export interface Dispatch {
  /** Whose name such a turn gets: this process's, or nobody's until one claims it. */
  readonly owner: string | null;
  /** In the step that made it runnable, after the turn's own row was written. */
  wake(step: Step, turnId: string): Promise<void> | void;
  /** Once the step is kept that ended it: whoever runs it is to stop. */
  abort(turnId: string, reason: string): void;
}

/** One process alone on its store runs what it causes. */
export function dispatchHere(owner: string, scheduler: Scheduler): Dispatch {
  return {
    owner,
    wake: (step, turnId) => step.afterCommit(() => scheduler.wake(turnId)),
    abort: (turnId, reason) => scheduler.abort(turnId, reason),
  };
}

/** Among others: the wake-up is written with its cause, and whoever it is handed to claims the turn. */
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
