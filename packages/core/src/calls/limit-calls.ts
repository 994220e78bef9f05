import type { Gate } from '../approval/index.js';
import type { StoreReader, TurnRecord } from '../ports/index.js';
import type { ReadCall } from './gate-call.js';

/** More calls than this in one answer would flood the queue and the transcript (T1). */
export const MOST_CALLS = 64;
/** Of one agent, in all its chats (A34). */
const MOST_WAITING = 200;

/** A call past the limit of its answer can't run; the model is told so. */
export function refuseExcess(call: ReadCall, position: number, calls: number): ReadCall {
  if (position < MOST_CALLS) return call;
  const error = `Nothing ran. An answer may hold ${MOST_CALLS} calls, and this one had ${calls}. Make the rest in your next answers.`;
  return { ...call, arguments: { ok: false, error } };
}

const TOO_MANY_WAIT =
  `Nothing ran. ${MOST_WAITING} calls of yours already wait for approval, and no more can wait ` +
  'until a person has decided some of them.';

/** Lets calls of one agent into the queue as long as there is room. A call without room fails; it is never run instead (A17). */
export function limitWaiting(reader: StoreReader, turn: TurnRecord): (gate: Gate) => Promise<Gate> {
  let waiting: number | undefined;
  return async (gate) => {
    if (gate.kind !== 'ask') return gate;
    waiting ??= await reader.countPendingOfAgent(turn.worldId, turn.agentId);
    if (waiting >= MOST_WAITING) return { kind: 'refuse', how: 'fail', reason: TOO_MANY_WAIT };
    waiting += 1;
    return gate;
  };
}
