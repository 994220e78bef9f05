import type { Gate } from '../approval/index.js';
import type { StepTransaction } from '../facts/step-transaction.js';
import type { ReadCall } from './read-call.js';

/** More calls than this in one answer would flood the queue and the transcript (T1). */
export const MOST_CALLS = 64;
/** Of one agent, in all its chats (A34). */
const MOST_WAITING = 200;
/** So many chats are named in a refusal. */
const MOST_NAMED = 3;

/** A call past the limit of its answer can't run; the model is told so. */
export function refuseExcess(call: ReadCall, position: number, calls: number): ReadCall {
  if (position < MOST_CALLS) return call;
  const error = `Nothing ran. An answer may hold ${MOST_CALLS} calls, and this one had ${calls}. Make the rest in your next answers.`;
  return { ...call, arguments: { ok: false, error } };
}

/**
 * Lets calls into the queue as long as there is room. A call without room fails; it is never run instead (A17). The store refuses the step
 * if answers of the same agent in other chats take the room at the same time.
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

/** Names chats by id: a title may come from a model, and this text is read by the model of another chat. */
function describeFull(tx: StepTransaction, agentId: string): string {
  const fullest = tx.pendingOf(agentId).slice(0, MOST_NAMED);
  const named = fullest.map(({ chatId, waiting }) => `${chatId} (${waiting})`).join(', ');
  return (
    `Nothing ran. ${MOST_WAITING} calls of yours already wait for approval, most of them in the chats ${named}. ` +
    'No more can wait until a person has decided some of them.'
  );
}
