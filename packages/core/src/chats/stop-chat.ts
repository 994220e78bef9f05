import type { Signer } from '@countersign/protocol';
import type { StoreReader, TurnRecord } from '../ports/index.js';
import { chatIn } from '../step/look-up.js';
import { commit } from '../step/commit.js';
import type { Runtime, Step } from '../step/runtime.js';
import { settleOpenCalls } from '../calls/settle-call.js';
import { openNext } from '../step/move-turn.js';

/**
 * Stops everything in a chat (M9): in one step every unfinished turn is fenced off and ended and its calls are
 * settled, so the chat is idle whatever a tool or a model does with its signal; then what runs is aborted.
 */
export async function stopChat(runtime: Runtime, worldId: string, chatId: string, signer: Signer): Promise<void> {
  await commit(runtime, 'stop', worldId, { chats: [chatId] }, (step) =>
    stopInStep(runtime, step, worldId, chatId, signer),
  );
}

/** Deleting stops first (M9). */
export async function deleteChat(runtime: Runtime, worldId: string, chatId: string, signer: Signer): Promise<void> {
  await commit(runtime, 'delete-chat', worldId, { chats: [chatId] }, (step) => {
    stopInStep(runtime, step, worldId, chatId, signer);
    step.tx.write({ kind: 'chat-deleted', chatId });
  });
  runtime.memory.forgetChat(chatId);
  runtime.repeats.clear();
}

function stopInStep(runtime: Runtime, step: Step, worldId: string, chatId: string, signer: Signer): void {
  chatIn(step.tx.chat(chatId), worldId, chatId);
  const turns = step.tx.unfinishedTurns(chatId);
  if (turns.length === 0) return;
  stopTurns(runtime, step, turns, signer);
  step.tx.record({ kind: 'stop', chatId, who: signer.who, client: signer.client });
  step.tx.emit({ event: 'system', chatId, data: { type: 'notice', message: `Stopped by ${signer.who}.` } });
}

/** Ends turns and settles their calls. */
export function stopTurns(runtime: Runtime, step: Step, turns: readonly TurnRecord[], signer: Signer): void {
  // The one that runs before those behind it. Not by time, which is that of a step's beginning.
  const stopped = turns.toSorted((one, other) => one.triggerSeq - other.triggerSeq);
  for (const { id: turnId, chatId } of stopped) {
    step.tx.write({ kind: 'turn-ended', chatId, turnId, outcome: 'stopped' });
  }
  for (const turn of stopped) {
    settleOpenCalls(runtime, step, turn, { outcome: 'stopped', reason: 'stopped', by: signer.who });
  }
  // A turn that is not among these may be queued behind one of them, and nobody else would open it.
  const lines = new Map(stopped.map(({ chatId, agentId }) => [`${chatId} ${agentId}`, { chatId, agentId }]));
  for (const line of lines.values()) openNext(runtime, step, line);
}

/** The chats in which such turns are unfinished. */
export async function chatsAtWork(reader: StoreReader, concerns: (turn: TurnRecord) => boolean): Promise<string[]> {
  return [...new Set((await reader.unfinishedTurns()).filter(concerns).map(({ chatId }) => chatId))];
}
