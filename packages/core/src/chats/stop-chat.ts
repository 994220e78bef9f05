import { CountersignError, SYSTEM, type Signer, type Who } from '@countersign/protocol';
import { partsOf, type StoreReader, type TurnRecord } from '../ports/index.js';
import { chatIn, commit, ignoreNotFound } from '../step/commit.js';
import type { PartialAnswer, Runtime, Step } from '../step/runtime.js';
import { settleOpenCalls } from '../call/settle.js';
import { openNext } from '../step/move-turn.js';

/**
 * Stops everything in a chat (WORLD9). One step fences and ends all unfinished turns and settles their calls, so the chat is idle even if a tool or
 * model ignores its abort signal. Running work is aborted after that.
 */
export async function stopChat(runtime: Runtime, worldId: string, chatId: string, signer: Signer): Promise<void> {
  await commit(runtime, 'stop', worldId, { chats: [chatId] }, (step) =>
    stopInStep(runtime, step, worldId, chatId, signer),
  );
}

/** Stops the chat before deleting it (WORLD9). */
export async function deleteChat(runtime: Runtime, worldId: string, chatId: string, signer: Signer): Promise<void> {
  const found = await runtime.store.read((reader) => reader.chat(chatId));
  const from = found === undefined ? undefined : partsOf(found).at(-1)?.chatId;
  const chats = from === undefined ? [chatId] : [chatId, from];
  await commit(runtime, 'delete-chat', worldId, { chats }, (step) => {
    const { branches } = chatIn(step.tx.chat(chatId), worldId, chatId);
    if (branches > 0) throw new CountersignError('conflict', hasBranches(branches));
    stopInStep(runtime, step, worldId, chatId, signer);
    step.tx.write({ kind: 'chat-deleted', chatId });
    const before = from === undefined ? undefined : step.tx.chat(from);
    if (before !== undefined)
      step.tx.write({ kind: 'chat-branched', chatId: before.id, branches: before.branches - 1 });
  });
  runtime.caches.memory.forgetChat(chatId);
  runtime.caches.repeats.clear();
}

function hasBranches(count: number): string {
  const which = count === 1 ? 'A branch begins' : `${count} branches begin`;
  return `${which} with messages of this chat. Delete ${count === 1 ? 'it' : 'them'} first.`;
}

export function stopInStep(runtime: Runtime, step: Step, worldId: string, chatId: string, signer: Signer): void {
  chatIn(step.tx.chat(chatId), worldId, chatId);
  const turns = step.tx.unfinishedTurns(chatId);
  if (turns.length === 0) return;
  const { kept } = stopTurns(runtime, step, turns, signer);
  step.tx.write({ kind: 'chat-stopped', chatId, by: signer, isSaid: kept > 0 });
}

/** Ends turns and settles their calls. `kept`: the number of partial answers that it stored. */
export function stopTurns(
  runtime: Runtime,
  step: Step,
  turns: readonly TurnRecord[],
  signer: Signer,
): { kept: number } {
  let kept = 0;
  // Running turns come before queued ones. Timestamps can't order them: turns queued in one step share a timestamp.
  const stopped = turns.toSorted((one, other) => one.triggerSeq - other.triggerSeq);
  for (const turn of stopped) {
    const { id: turnId, chatId } = turn;
    const live = runtime.running.answers.get(turnId);
    const partial = live?.epoch === turn.epoch ? live.read() : undefined;
    if (partial !== undefined) {
      kept += 1;
      writePartial(step, turn, partial, signer.who);
      step.afterCommit(() => runtime.running.answers.delete(turnId));
    }
    step.tx.write({ kind: 'turn-ended', chatId, turnId, outcome: 'stopped', by: signer.who });
  }
  for (const turn of stopped) {
    settleOpenCalls(runtime, step, turn, { outcome: 'stopped', reason: 'stopped', by: signer.who });
  }
  // Another turn may be queued behind a stopped one, and nothing else would open it.
  const lines = new Map(stopped.map(({ chatId, agentId }) => [`${chatId} ${agentId}`, { chatId, agentId }]));
  for (const line of lines.values()) openNext(runtime, step, line);
  return { kept };
}

/**
 * Stores what a model had written in this process when another process stopped the turn (WORLD9.3): only this one has the text. Does nothing if
 * the turn wasn't stopped, or if another process had taken it over before.
 */
export async function keepStopped(
  runtime: Runtime,
  { id, epoch, worldId, chatId }: TurnRecord,
  partial: PartialAnswer,
  by: Who = SYSTEM,
): Promise<void> {
  const turn = await runtime.store.read((reader) => reader.turn(id));
  if (turn?.outcome !== 'stopped' || turn.epoch !== epoch + 1) return;
  const keep = commit(runtime, 'keep-stopped', worldId, { chats: [chatId] }, (step) => {
    if (step.tx.chat(chatId) === undefined) return;
    writePartial(step, turn, partial, by);
    // The model's view of an ended turn may be cached.
    step.afterCommit(() => runtime.caches.memory.forgetChat(chatId));
  });
  await ignoreNotFound(keep);
}

/** It addresses nobody: the agent hadn't finished the sentence that might have. */
function writePartial({ tx }: Step, turn: TurnRecord, partial: PartialAnswer, stoppedBy: Who): void {
  const { id: turnId, chatId, agentId, iteration, triggerId: replyTo } = turn;
  const { messageId: id, content, ...from } = partial;
  const message = tx.newMessage(chatId, {
    ...{ id, role: 'assistant', sender: agentId, speaker: 'agent', agentId, turnId, replyTo, content },
    iteration: iteration + 1,
    providerState: { ...from, stoppedBy, vendorIds: [] },
  });
  tx.write({ kind: 'message-sent', message });
}

/** The chats that have unfinished turns matching `concerns`. */
export async function chatsAtWork(reader: StoreReader, concerns: (turn: TurnRecord) => boolean): Promise<string[]> {
  return [...new Set((await reader.unfinishedTurns()).filter(concerns).map(({ chatId }) => chatId))];
}
