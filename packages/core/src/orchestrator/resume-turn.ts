import type { InvocationStatus } from '../ports/index.js';
import { lookAgain, mustHaveChanged, type Runtime, type Step } from './runtime.js';
import { noteActivity } from './turn-lifecycle.js';
import { intoState, situationAfter, type Situation } from './turn-state.js';

/**
 * Something is about to be recorded that may bring a turn further: one of its calls changes to `change.status`. First in its
 * transaction, so that rows are always locked in the order turn, chat, world: the turn is marked as runnable, its `rev` raised,
 * so that a loop about to leave looks again, and, once kept, it is woken (S1).
 *
 * Gives how it will stand and what is left to do at the end of the step. If the turn has moved on meanwhile, the step begins anew.
 */
export async function resumeTurn(
  runtime: Runtime,
  step: Step,
  turnId: string,
  change: { invocationId: string; status: InvocationStatus },
): Promise<Resumed> {
  const turn = await step.tx.turn(turnId);
  if (turn === undefined || turn.state === 'ended' || turn.state === 'queued') lookAgain();
  const after = await situationAfter(step.tx, turn, step.snapshot, change);
  const { state } = after.turn;
  // Nobody runs a waiting turn, whoever's name is still on it: left there, a decision after a restart would be slept through (A9).
  const unclaimed = turn.owner === null || turn.state === 'waiting';
  const owner = unclaimed ? runtime.dispatch.owner : turn.owner;
  mustHaveChanged(await step.tx.stepTurn(turn, { ...intoState(turn, state), ...(unclaimed ? { owner } : {}) }));
  if (state === 'open') await runtime.dispatch.wake(step, turn.id);
  return {
    after: { ...after, turn: { ...after.turn, owner } },
    finish: async () => {
      if (state !== turn.state) await noteActivity(runtime, step, turn.chatId);
    },
  };
}

interface Resumed {
  after: Situation;
  finish(): Promise<void>;
}
