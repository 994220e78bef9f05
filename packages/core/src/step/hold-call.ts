import { CountersignError } from '@countersign/protocol';
import type { InvocationRecord } from '../ports/index.js';
import type { Step } from './runtime.js';

/**
 * First in a transaction that a running tool asks for: locks the turn of its call and makes sure that the call still runs here. A
 * stop, or another process that took the turn over, would otherwise find written what comes of a call that has ended.
 */
export async function holdCall(step: Step, invocation: InvocationRecord): Promise<void> {
  const { tx } = step;
  for (;;) {
    const turn = await tx.turn(invocation.turnId);
    if (turn === undefined || turn.epoch !== invocation.startedEpoch) throw ended();
    if (await tx.stepTurn(turn, {})) break;
  }
  if ((await tx.invocation(invocation.id))?.status !== 'started') throw ended();
}

function ended(): CountersignError {
  return new CountersignError('conflict', 'the call has ended');
}
