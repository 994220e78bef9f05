import type { InvocationStatus, TurnRecord } from '../ports/index.js';
import { isSuspect } from './quarantine.js';
import { lookAgain, type Runtime, type Step } from './runtime.js';
import { noteActivity } from './turn-lifecycle.js';
import { intoState, situationAfter, type Situation } from './turn-state.js';

/**
 * Something is about to be recorded that may bring a turn further: one of its calls changes to `change.status`. First in its
 * transaction, so that rows are always locked in the order turn, chat, world: the turn is marked as runnable, its `rev` raised,
 * so that a loop about to leave looks again, and, once kept, it is woken (S1).
 *
 * Gives how it will stand and what is left to do at the end of the step. If the turn has ended meanwhile, the step begins anew.
 */
export async function resumeTurn(
  runtime: Runtime,
  step: Step,
  turnId: string,
  change: { invocationId: string; status: InvocationStatus },
): Promise<Resumed> {
  const { turn, after } = await takeTurn(runtime, step, turnId, change);
  const { state } = after.turn;
  if (state === 'open') await runtime.dispatch.wake(step, turn.id);
  return {
    after,
    finish: async () => {
      if (state !== turn.state) await noteActivity(runtime, step, turn.chatId);
    },
  };
}

/**
 * Not by beginning the step anew: of many calls of one answer that are decided and end at once, each is overtaken more often than a
 * step may begin.
 */
async function takeTurn(
  runtime: Runtime,
  step: Step,
  turnId: string,
  change: { invocationId: string; status: InvocationStatus },
): Promise<{ turn: TurnRecord; after: Situation }> {
  for (;;) {
    const turn = await step.tx.turn(turnId);
    if (turn === undefined || turn.state === 'ended' || turn.state === 'queued') lookAgain();
    const after = await situationAfter(step.tx, turn, step.snapshot, change);
    // Nobody runs a waiting turn, whoever's name is still on it: left there, a decision after a restart would be slept through (A9).
    // A suspect waits until it may run alone.
    const unclaimed = turn.state === 'waiting' || (turn.owner === null && !isSuspect(turn));
    const owner = unclaimed ? runtime.dispatch.owner : turn.owner;
    // It got as far as a person: what froze its process before is not what would freeze the next one.
    const interruptions = turn.state === 'waiting' ? 0 : turn.interruptions;
    const taken = {
      ...intoState(turn, after.turn.state),
      ...(unclaimed ? { owner } : {}),
      ...(interruptions === turn.interruptions ? {} : { interruptions }),
    };
    if (await step.tx.stepTurn(turn, taken))
      return { turn, after: { ...after, turn: { ...after.turn, owner, interruptions } } };
  }
}

interface Resumed {
  after: Situation;
  finish(): Promise<void>;
}
