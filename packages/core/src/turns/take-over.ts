import type { TurnRecord } from '../ports/index.js';
import { claimUnowned } from './claim-turn.js';
import { expireToolQuestions } from '../calls/close-tool-question.js';
import { releaseTurnsOf } from './release-turns.js';
import { commit, type Runtime } from '../step/runtime.js';
import { giveBack } from '../calls/mark-started.js';
import { cutOff, settleInvocation } from '../calls/settle-invocation.js';

/**
 * Calls that a dead process had started. Nobody saw their end: they fail as unknown, unless their tool says that running
 * twice is the same as running once; then they are started again (S3).
 */
export async function takeOver(runtime: Runtime, turn: TurnRecord, invocationIds: readonly string[]): Promise<void> {
  await commit(runtime, 'take-over', turn.worldId, { chats: [turn.chatId] }, (step) => {
    if (!step.tx.stepTurn(turn, {})) return;
    for (const id of invocationIds) {
      const invocation = step.tx.invocation(id);
      if (invocation?.status !== 'started') continue;
      expireToolQuestions(step, invocation);
      if (invocation.idempotent) {
        giveBack(step.tx, invocation);
        continue;
      }
      settleInvocation(runtime, step, invocation, cutOff('interrupted'));
    }
  });
}

/** Where one process owns the store, whatever others ran is this process's now: all unfinished turns, or those of one chat. */
export async function recover(runtime: Runtime, chatId?: string): Promise<void> {
  const openTurns = async (): Promise<TurnRecord[]> =>
    (await runtime.store.read((reader) => reader.unfinishedTurns(chatId))).filter(({ state }) => state === 'open');
  const owners = new Set((await openTurns()).map(({ owner }) => owner));
  for (const owner of owners)
    if (owner !== null && owner !== runtime.owner) await releaseTurnsOf(runtime, owner, chatId);
  for (const turn of await openTurns()) {
    if (turn.owner === null && (await claimUnowned(runtime, turn)) === 'mine') runtime.scheduler.wake(turn.id);
  }
}
