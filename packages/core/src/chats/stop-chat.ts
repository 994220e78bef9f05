import type { Signer } from '@countersign/protocol';
import type { StoreReader, TurnRecord } from '../ports/index.js';
import { chatIn } from '../step/look-up.js';
import { commit, type Runtime, type Step } from '../step/runtime.js';
import { settleOpenCalls } from '../calls/settle-open-calls.js';
import { noteActivity, openNext, recordEnd } from '../step/turn-lifecycle.js';

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
    step.tx.deleteChat(chatId);
    step.tx.emit({ event: 'crud', chatId: null, data: { operation: 'delete', entity: 'chat', id: chatId } });
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
  noteActivity(runtime, step, chatId);
}

/** Ends turns and settles their calls. */
export function stopTurns(runtime: Runtime, step: Step, turns: readonly TurnRecord[], signer: Signer): void {
  const stopped: TurnRecord[] = [];
  const end = { state: 'ended', outcome: 'stopped', owner: null, endedAt: step.tx.now() } as const;
  // The one that runs before those behind it: its end holds it while it opens the next one. Not by time, which is that of a step's beginning.
  for (const { id } of turns.toSorted((one, other) => one.triggerSeq - other.triggerSeq)) {
    // As it stands now, which may be calls further than it was read.
    const turn = step.tx.fenceTurn(id, end);
    if (turn === undefined) continue;
    stopped.push(turn);
    step.afterCommit(() => {
      runtime.dispatch.abort(id, 'stopped');
      runtime.measure({ kind: 'turn', worldId: turn.worldId, turnId: id, outcome: 'stopped' });
    });
  }
  for (const turn of stopped) {
    recordEnd(step, turn, 'stopped');
    settleOpenCalls(runtime, step, turn, {
      outcome: 'stopped',
      reason: 'stopped',
      by: signer.who,
    });
  }
  // What was said since the look waits behind a turn that was stopped here, and nobody else would open it.
  const lines = new Map(stopped.map(({ chatId, agentId }) => [`${chatId} ${agentId}`, { chatId, agentId }]));
  for (const { chatId, agentId } of lines.values()) openNext(runtime, step, chatId, agentId);
}

/** The chats in which such turns are unfinished. */
export async function chatsAtWork(reader: StoreReader, concerns: (turn: TurnRecord) => boolean): Promise<string[]> {
  return [...new Set((await reader.unfinishedTurns()).filter(concerns).map(({ chatId }) => chatId))];
}
