import { settleCall } from '../calls/settle-call.js';
import type { Settlement } from '../facts/fact.js';
import type { InvocationRecord } from '../ports/index.js';
import { commit, unlessGone } from '../step/commit.js';
import { resumeTurn } from '../step/move-turn.js';
import type { Runtime } from '../step/runtime.js';

/** Settles a call that its program runs, or never claimed. False if the call isn't running, or was claimed after all. */
export async function settleOutside(
  runtime: Runtime,
  { worldId, chatId, id }: InvocationRecord,
  settlement: Settlement,
): Promise<boolean> {
  const from = settlement.kind === 'not-claimed' ? 'approved' : 'started';
  const settling = commit(runtime, 'external-result', worldId, { chats: [chatId] }, (step) => {
    const current = step.tx.invocation(id);
    if (current?.status !== from) return false;
    settleCall(runtime, step, current, settlement);
    if (resumeTurn(runtime, step, current.turnId)) runtime.dispatch.wake(step, current.turnId);
    return true;
  });
  return (await unlessGone(settling)) === true;
}

/** The calls of programs outside that have not ended. In one chat, or all. */
export async function openCallsOutside(runtime: Runtime, chatId?: string): Promise<InvocationRecord[]> {
  return await runtime.store.read(async (reader) => {
    const turns = (await reader.unfinishedTurns(chatId)).filter(({ iteration }) => iteration > 0);
    const calls = await Promise.all(turns.map(({ id, iteration }) => reader.invocations(id, iteration)));
    return calls.flat().filter(({ settledAt, location }) => settledAt === null && location === 'external');
  });
}
