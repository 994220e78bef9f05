import { settleCall } from '../call/settle.js';
import type { Settlement } from '../facts/fact.js';
import type { RunBy, CallRecord } from '../ports/index.js';
import { commit, ignoreNotFound } from '../step/commit.js';
import { resumeTurn } from '../step/move-turn.js';
import type { Runtime } from '../step/runtime.js';

/** Ends a call that a client or program runs, or never claimed. False if the call isn't running, or was claimed after all. */
export async function endCall(
  runtime: Runtime,
  { worldId, chatId, id }: CallRecord,
  settlement: Settlement,
): Promise<boolean> {
  const from = settlement.kind === 'not-claimed' ? 'approved' : 'started';
  const ending = commit(runtime, 'end-call', worldId, { chats: [chatId] }, (step) => {
    const current = step.tx.invocation(id);
    if (current?.status !== from) return false;
    settleCall(runtime, step, current, settlement);
    if (resumeTurn(runtime, step, current.turnId)) runtime.dispatch.wake(step, current.turnId);
    return true;
  });
  return (await ignoreNotFound(ending)) === true;
}

/** The calls that clients or programs run, or will run, and that have not ended. In one chat, or all. */
export async function openCalls(
  runtime: Runtime,
  runner: Exclude<RunBy, 'here'>,
  chatId?: string,
): Promise<CallRecord[]> {
  return await runtime.store.read(async (reader) => {
    const turns = (await reader.unfinishedTurns(chatId)).filter(({ iteration }) => iteration > 0);
    const calls = await Promise.all(turns.map(({ id, iteration }) => reader.invocations(id, iteration)));
    return calls.flat().filter(({ settledAt, runBy }) => settledAt === null && runBy === runner);
  });
}
