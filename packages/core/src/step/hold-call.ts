import { CountersignError } from '@countersign/protocol';
import type { InvocationRecord } from '../ports/index.js';
import type { Step } from './runtime.js';

/**
 * First in a step that a running tool asks for: makes sure that the call still runs here. After a stop, or once another process has taken
 * the turn over, nothing may be written for it.
 */
export function holdCall(step: Step, invocation: InvocationRecord): void {
  const { tx } = step;
  const turn = tx.turn(invocation.turnId);
  if (turn === undefined || turn.epoch !== invocation.startedEpoch) throw ended();
  if (tx.invocation(invocation.id)?.status !== 'started') throw ended();
}

function ended(): CountersignError {
  return new CountersignError('conflict', 'the call has ended');
}
