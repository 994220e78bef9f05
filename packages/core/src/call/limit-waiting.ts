import type { StepTransaction } from '../facts/step-transaction.js';
import type { Gate } from '../policy/check-tool-approval.js';

/** The maximum number of waiting calls per agent, across all its chats (CALL19). */
const MAX_WAITING = 200;
/** The number of chats that an error message names. */
const MAX_NAMED = 3;

/**
 * Admits calls to the queue until it is full. Further calls fail instead of running without approval (CALL15). The store rejects the step if concurrent
 * responses by the same agent in other chats have filled the queue.
 */
export function limitWaiting(tx: StepTransaction, agentId: string): (gate: Gate) => Gate {
  let room: number | undefined;
  return (gate) => {
    if (gate.kind !== 'ask') return gate;
    room ??= roomFor(tx, agentId);
    if (room <= 0)
      return { kind: 'refuse', how: 'fail', reason: { code: 'cannot-run', problem: describeFull(tx, agentId) } };
    room -= 1;
    tx.limitPending(agentId, MAX_WAITING);
    return gate;
  };
}

/** Whether another call of this agent may wait for approval. */
export function hasRoom(tx: Pick<StepTransaction, 'pendingOf'>, agentId: string): boolean {
  return roomFor(tx, agentId) > 0;
}

function roomFor(tx: Pick<StepTransaction, 'pendingOf'>, agentId: string): number {
  return MAX_WAITING - tx.pendingOf(agentId).reduce((total, { waiting }) => total + waiting, 0);
}

/** Lists chats by id: a title may come from a model, and the model in another chat reads this text. */
function describeFull(tx: StepTransaction, agentId: string): string {
  const fullest = tx.pendingOf(agentId).slice(0, MAX_NAMED);
  const named = fullest.map(({ chatId, waiting }) => `${chatId} (${waiting})`).join(', ');
  return (
    `Nothing ran. ${MAX_WAITING} of your calls are already waiting for approval, most of them in the chats ${named}. ` +
    'Wait until a person has decided on some of them.'
  );
}
