import type { Gate } from '../approval/index.js';
import type { StepTransaction } from '../facts/step-transaction.js';
import type { ReadCall } from './read-call.js';

/** More calls in one response would flood the queue and the transcript (T1). */
export const MOST_CALLS = 64;
/** Per agent, across all its chats (A34). */
const MOST_WAITING = 200;
/** How many chats an error message names. */
const MOST_NAMED = 3;

/** Rejects a call past the limit of its response, with an error for the model. */
export function refuseExcess(call: ReadCall, position: number, calls: number): ReadCall {
  if (position < MOST_CALLS) return call;
  const error = `Nothing ran. A response may contain at most ${MOST_CALLS} tool calls, and this one had ${calls}. Make the remaining calls in your next responses.`;
  return { ...call, arguments: { ok: false, error } };
}

/**
 * Admits calls to the queue while there is room. A call without room fails; it never runs instead (A17). The store rejects the step if
 * concurrent responses of the same agent in other chats take the room.
 */
export function limitWaiting(tx: StepTransaction, agentId: string): (gate: Gate) => Gate {
  let room: number | undefined;
  return (gate) => {
    if (gate.kind !== 'ask') return gate;
    room ??= MOST_WAITING - tx.pendingOf(agentId).reduce((total, { waiting }) => total + waiting, 0);
    if (room <= 0)
      return { kind: 'refuse', how: 'fail', reason: { code: 'cannot-run', problem: describeFull(tx, agentId) } };
    room -= 1;
    tx.limitPending(agentId, MOST_WAITING);
    return gate;
  };
}

/** Names chats by id: a title may come from a model, and the model of another chat reads this text. */
function describeFull(tx: StepTransaction, agentId: string): string {
  const fullest = tx.pendingOf(agentId).slice(0, MOST_NAMED);
  const named = fullest.map(({ chatId, waiting }) => `${chatId} (${waiting})`).join(', ');
  return (
    `Nothing ran. ${MOST_WAITING} of your calls are already waiting for approval, most of them in the chats ${named}. ` +
    'Wait until a person has decided some of them.'
  );
}
