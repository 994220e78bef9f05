import { nextStep } from '../turn/next-step.js';
import type { Runtime, Step } from './runtime.js';
import { noteActivity } from './turn-lifecycle.js';

/**
 * Something was recorded that may bring a turn further: in the same transaction it is marked as runnable and, once kept,
 * woken (S1). Also raises `rev`, so that a loop about to leave looks again.
 */
export async function resumeTurn(runtime: Runtime, step: Step, turnId: string): Promise<void> {
  const turn = await step.tx.turn(turnId);
  if (turn === undefined || turn.state === 'ended' || turn.state === 'queued') return;
  const invocations = await step.tx.invocations(turn.id, turn.iteration);
  const next = nextStep({ turn, invocations, limits: step.snapshot.world.settings });
  const state = next.kind === 'wait' ? 'waiting' : 'open';
  // Nobody runs a waiting turn, whoever's name is still on it: left there, a decision after a restart would be slept through (A9).
  const unclaimed = turn.owner === null || turn.state === 'waiting';
  await step.tx.stepTurn(turn, { state, ...(unclaimed ? { owner: runtime.owner } : {}) });
  if (state !== turn.state) {
    const chat = await step.tx.chat(turn.chatId);
    if (chat !== undefined) await noteActivity(runtime, step, chat);
  }
  if (state === 'open') step.afterCommit(() => runtime.scheduler.wake(turn.id));
}
