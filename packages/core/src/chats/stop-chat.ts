import type { Signer } from '@countersign/protocol';
import type { TurnRecord } from '../ports/index.js';
import { chatIn } from '../step/look-up.js';
import { commit, type Runtime, type Step } from '../step/runtime.js';
import { settleOpenCalls } from '../calls/settle-open-calls.js';
import { noteActivity, openNext, recordEnd } from '../step/turn-lifecycle.js';

/**
 * Stops everything in a chat (M9): in one transaction every unfinished turn is fenced off and ended and its calls are
 * settled, so the chat is idle whatever a tool or a model does with its signal; then what runs is aborted.
 */
export async function stopChat(runtime: Runtime, worldId: string, chatId: string, signer: Signer): Promise<void> {
  await commit(runtime, 'stop', worldId, (step) => stopInStep(runtime, step, worldId, chatId, signer));
}

/** Deleting stops first (M9). */
export async function deleteChat(runtime: Runtime, worldId: string, chatId: string, signer: Signer): Promise<void> {
  await commit(runtime, 'delete-chat', worldId, async (step) => {
    await stopInStep(runtime, step, worldId, chatId, signer);
    await step.tx.deleteChat(chatId);
    step.tx.emit({ event: 'crud', chatId: null, data: { operation: 'delete', entity: 'chat', id: chatId } });
  });
  runtime.memory.forgetChat(chatId);
  runtime.repeats.clear();
}

async function stopInStep(
  runtime: Runtime,
  step: Step,
  worldId: string,
  chatId: string,
  signer: Signer,
): Promise<void> {
  await chatIn(step.tx, worldId, chatId);
  const turns = await step.tx.unfinishedTurns(chatId);
  if (turns.length === 0) return;
  await stopTurns(runtime, step, turns, signer);
  step.tx.record({ kind: 'stop', chatId, who: signer.who, client: signer.client });
  step.tx.emit({ event: 'system', chatId, data: { type: 'notice', message: `Stopped by ${signer.who}.` } });
  await noteActivity(runtime, step, chatId);
}

/** Ends turns and settles their calls. All turns are fenced before anything else is written: rows are locked turn, chat, world. */
export async function stopTurns(
  runtime: Runtime,
  step: Step,
  turns: readonly TurnRecord[],
  signer: Signer,
): Promise<void> {
  const stopped: TurnRecord[] = [];
  const end = { state: 'ended', outcome: 'stopped', owner: null, endedAt: step.tx.now() } as const;
  // The one that runs before those behind it: its end holds it while it opens the next one. Not by time, which is that of a step's beginning.
  for (const { id } of turns.toSorted((one, other) => one.triggerSeq - other.triggerSeq)) {
    // As it stands now, which may be calls further than it was read.
    const turn = await step.tx.fenceTurn(id, end);
    if (turn === undefined) continue;
    stopped.push(turn);
    step.afterCommit(() => {
      runtime.dispatch.abort(id, 'stopped');
      runtime.measure({ kind: 'turn', worldId: turn.worldId, turnId: id, outcome: 'stopped' });
    });
  }
  for (const turn of stopped) {
    await recordEnd(step, turn, 'stopped');
    await settleOpenCalls(runtime, step, turn, {
      outcome: 'stopped',
      reason: 'stopped',
      by: signer.who,
    });
  }
  // What was said since the look waits behind a turn that was stopped here, and nobody else would open it.
  const lines = new Map(stopped.map(({ chatId, agentId }) => [`${chatId} ${agentId}`, { chatId, agentId }]));
  for (const { chatId, agentId } of lines.values()) await openNext(runtime, step, chatId, agentId);
}
