import type { NoEffect } from '@countersign/protocol';
import type { RehearsalRecord, Rehearsals } from '../ports/index.js';
import { untilAborted } from '../ports/until-aborted.js';
import type { Runtime } from '../step/runtime.js';
import { limitTime } from './limit-time.js';
import { queueOf } from './rehearsal-queue.js';

/** Then people are asked without an effect: busy agents must not keep the calls of others from them. */
const MAX_WAIT_MS = 20_000;
/** A rehearsal that never ends leaves the queue after this time. */
const MAX_IN_QUEUE_MS = 60_000;

export type NoEffectRecord = Extract<RehearsalRecord, { noEffect: NoEffect }>;

interface Wanted<T> {
  rehearsals: Rehearsals;
  call: { worldId: string; agentId: string; invocationId: string; toolName: string };
  /** `wait-within-limit`: the time limit includes the wait. `skip`: people wait for their decision, and it rarely runs anything. */
  queue: 'wait' | 'wait-within-limit' | 'skip';
  limitMs: number;
  signal: AbortSignal;
  run: (signal: AbortSignal) => Promise<T>;
}

/** Runs one rehearsal when it is its turn. `noEffect`: it failed or took too long. Rejects only if the signal aborts. */
export async function rehearseInQueue<T>(
  runtime: Pick<Runtime, 'clock' | 'report'>,
  { rehearsals, call, queue, limitMs, signal, run }: Wanted<T>,
): Promise<{ ms: number; found: T } | NoEffectRecord> {
  const { worldId, agentId, invocationId, toolName } = call;
  let limited = limitTime(runtime, signal, queue === 'wait' ? MAX_WAIT_MS : limitMs);
  let leave = (): void => undefined;
  let began: number | undefined;
  const took = (): number => Math.round(performance.now() - (began ?? performance.now()));
  try {
    if (queue !== 'skip') leave = await queueOf(rehearsals).takeTurn(`${worldId}/${agentId}`, limited.signal);
    if (queue === 'wait') {
      limited.end();
      limited = limitTime(runtime, signal, limitMs);
    }
    const limit = limited.signal;
    const found = await untilAborted(() => runInTurn(limit), limit);
    return { ms: took(), found };
  } catch (error) {
    if (signal.aborted) throw error;
    const isLate = limited.signal.aborted;
    if (!isLate) runtime.report(error, `failed to rehearse ${toolName}`, { worldId, invocationId });
    if (began === undefined) return { noEffect: { reason: isLate ? 'busy' : 'failed' } };
    return { ms: took(), noEffect: { reason: isLate ? 'too-long' : 'failed' } };
  } finally {
    limited.end();
    if (began === undefined) leave();
  }

  /** A stopped sandbox takes a moment to end, and keeps its place until then: otherwise, an agent could have many at once. */
  async function runInTurn(limit: AbortSignal): Promise<T> {
    began = performance.now();
    const cancel = runtime.clock.after(MAX_IN_QUEUE_MS, leave, { background: true });
    try {
      return await run(limit);
    } finally {
      cancel();
      leave();
    }
  }
}

/** With these reasons, the tool didn't run the call at all. */
const NOTHING_RAN: readonly NoEffect['reason'][] = [
  'off',
  'no-sandbox',
  'folder-too-large',
  'network',
  'other-folder',
  'dropped',
];

/** The record of a rehearsal that found no effect. It has no duration if nothing ran. */
export function withoutEffect(noEffect: NoEffect, ms: number): NoEffectRecord {
  return NOTHING_RAN.includes(noEffect.reason) ? { noEffect } : { ms, noEffect };
}
