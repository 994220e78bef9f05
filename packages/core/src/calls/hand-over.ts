import type { Runtime, Step, Started } from '../step/runtime.js';

/**
 * A call that this step starts is run by the loop of its turn, which the step wakes. It counts as in flight from before the commit:
 * a loop that looks in between would take it for one that nobody runs.
 */
export function handOver(runtime: Runtime, step: Step, turnId: string, started: Started): void {
  const { id } = started.invocation;
  runtime.inFlight.add(id);
  step.afterRollback(() => runtime.inFlight.delete(id));
  step.afterCommit(() => {
    const waiting = runtime.handed.get(turnId);
    if (waiting === undefined) runtime.handed.set(turnId, [started]);
    else waiting.push(started);
  });
}

/** What was handed over to a turn, once. */
export function takeHanded(runtime: Runtime, turnId: string): readonly Started[] {
  const handed = runtime.handed.get(turnId);
  if (handed === undefined) return [];
  runtime.handed.delete(turnId);
  return handed;
}
