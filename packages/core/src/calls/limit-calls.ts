import type { Gate } from '../approval/index.js';
import type { StoreReader, StoreTransaction, TurnRecord } from '../ports/index.js';
import type { ReadCall } from './gate-call.js';
import { lookAgain } from '../step/runtime.js';

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

export interface WaitingLimit {
  /** Lets a call into the queue as long as there is room. A call without room fails; it is never run instead (A17). */
  admit(gate: Gate): Promise<Gate>;
  /** After the turn's row was locked: answers of the same agent in other chats may have taken the room since it was counted. */
  confirm(): Promise<void>;
}

export function limitWaiting(tx: StoreTransaction, { worldId, agentId }: TurnRecord): WaitingLimit {
  let room: number | undefined;
  let refusal: string | undefined;
  let admitted = 0;
  const count = async (): Promise<number> => sum(await tx.pendingOfAgent(worldId, agentId));
  return {
    async admit(gate) {
      if (gate.kind !== 'ask') return gate;
      room ??= MOST_WAITING - (await count());
      if (admitted >= room) {
        refusal ??= await describeFull(tx, worldId, agentId);
        return { kind: 'refuse', how: 'fail', reason: refusal };
      }
      admitted += 1;
      return gate;
    },
    async confirm() {
      if (admitted === 0) return;
      await tx.lockAgent(worldId, agentId);
      if ((await count()) + admitted > MOST_WAITING) lookAgain();
    },
  };
}

type Waiting = { chatId: string; waiting: number };

function sum(chats: readonly Waiting[]): number {
  return chats.reduce((total, { waiting }) => total + waiting, 0);
}

/** Names chats by id: a title may come from a model, and this text is read by the model of another chat. */
async function describeFull(reader: StoreReader, worldId: string, agentId: string): Promise<string> {
  const fullest = (await reader.pendingOfAgent(worldId, agentId)).slice(0, MOST_NAMED);
  const named = fullest.map(({ chatId, waiting }) => `${chatId} (${waiting})`).join(', ');
  return (
    `Nothing ran. ${MOST_WAITING} calls of yours already wait for approval, most of them in the chats ${named}. ` +
    'No more can wait until a person has decided some of them.'
  );
}
