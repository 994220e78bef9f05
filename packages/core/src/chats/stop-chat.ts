import type { Signer } from '@countersign/protocol';
import type { StoreReader, TurnRecord } from '../ports/index.js';
import { chatIn, commit } from '../step/commit.js';
import type { Runtime, Step } from '../step/runtime.js';
import { settleOpenCalls } from '../calls/settle-call.js';
import { openNext } from '../step/move-turn.js';

/**
 * Stops everything in a chat (M9). One step fences and ends all unfinished turns and settles their calls, so the chat is idle even if a tool or
 * model ignores its abort signal. Running work is aborted after that.
 */
export async function stopChat(runtime: Runtime, worldId: string, chatId: string, signer: Signer): Promise<void> {
  await commit(runtime, 'stop', worldId, { chats: [chatId] }, (step) =>
    stopInStep(runtime, step, worldId, chatId, signer),
  );
}

/** Stops the chat before deleting it (M9). */
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
  step.tx.record({ kind: 'stop', chatId, ...signer });
  step.tx.emit({ event: 'system', chatId, data: { type: 'notice', message: `Stopped by ${signer.who.name}.` } });
}

/** Ends turns and settles their calls. */
export function stopTurns(runtime: Runtime, step: Step, turns: readonly TurnRecord[], signer: Signer): void {
  // Running turns come before queued ones. Timestamps can't order them: turns queued in one step share a timestamp.
  const stopped = turns.toSorted((one, other) => one.triggerSeq - other.triggerSeq);
  for (const { id: turnId, chatId } of stopped) {
    step.tx.write({ kind: 'turn-ended', chatId, turnId, outcome: 'stopped' });
  }
  for (const turn of stopped) {
    settleOpenCalls(runtime, step, turn, { outcome: 'stopped', reason: 'stopped', by: signer.who });
  }
  // Another turn may be queued behind a stopped one, and nothing else would open it.
  const lines = new Map(stopped.map(({ chatId, agentId }) => [`${chatId} ${agentId}`, { chatId, agentId }]));
  for (const line of lines.values()) openNext(runtime, step, line);
}

/** The chats that have unfinished turns matching `concerns`. */
export async function chatsAtWork(reader: StoreReader, concerns: (turn: TurnRecord) => boolean): Promise<string[]> {
  return [...new Set((await reader.unfinishedTurns()).filter(concerns).map(({ chatId }) => chatId))];
}
