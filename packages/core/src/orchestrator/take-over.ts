import type { TurnRecord } from '../ports/index.js';
import { expireToolQuestions } from './close-tool-question.js';
import { endInWords } from './end-in-words.js';
import { commit, type Runtime, type Step } from './runtime.js';
import { cutOff, settleInvocation } from './settle-invocation.js';
import { settleOpenCalls } from './settle-open-calls.js';

/** A turn whose process froze or died this often may be the cause: another process would be next, so it ends instead (S3). */
const MAX_INTERRUPTIONS = 2;

/**
 * Calls that a dead process had started. Nobody saw their end: they fail as unknown, unless their tool says that running
 * twice is the same as running once; then they are started again (S3).
 */
export async function takeOver(runtime: Runtime, turn: TurnRecord, invocationIds: readonly string[]): Promise<void> {
  await commit(runtime, 'take-over', turn.worldId, async (step) => {
    if (!(await step.tx.stepTurn(turn, {}))) return;
    for (const id of invocationIds) {
      const invocation = await step.tx.invocation(id);
      if (invocation === undefined || invocation.status !== 'started') continue;
      await expireToolQuestions(step, invocation);
      if (invocation.idempotent) {
        await step.tx.changeInvocation(id, 'started', { status: 'approved', startedEpoch: null });
        continue;
      }
      await settleInvocation(runtime, step, invocation, cutOff('interrupted'));
    }
  });
}

/**
 * Where one process owns the store: every unfinished turn, or those of one chat, are this process's now; those that ran are counted as
 * interrupted, and all are woken.
 */
export async function recover(runtime: Runtime, chatId?: string): Promise<void> {
  const turns = await runtime.store.read((reader) => reader.unfinishedTurns(chatId));
  for (const turn of turns) {
    if (turn.state !== 'open' || turn.owner === runtime.owner) continue;
    await commit(runtime, 'recover', turn.worldId, async (step) => {
      // Parked by an orderly shutdown: nobody owned it, nothing was interrupted.
      const interruptions = turn.interruptions + (turn.owner === null ? 0 : 1);
      const claimed = await step.tx.fenceTurn(turn.id, { owner: runtime.owner, interruptions });
      if (claimed === undefined || (await endIfInterruptedTooOften(runtime, step, claimed))) return;
      step.afterCommit(() => runtime.scheduler.wake(turn.id));
    });
  }
}

/** True: it is not taken up again. */
export async function endIfInterruptedTooOften(runtime: Runtime, step: Step, turn: TurnRecord): Promise<boolean> {
  if (turn.interruptions < MAX_INTERRUPTIONS) return false;
  await settleOpenCalls(runtime, step, turn, {
    outcome: 'interrupted',
    reason: 'the turn was interrupted too often',
    by: 'system',
  });
  const words = `This turn was interrupted ${turn.interruptions} times and is not tried again. Check what it did, then write again.`;
  await endInWords(runtime, step, turn, 'interrupted', words);
  return true;
}
