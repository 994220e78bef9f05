import type { NoEffect } from '@countersign/protocol';
import type { RehearsalRecord } from '../../ports/index.js';
import { createStop, onAbort } from '../../ports/until-aborted.js';
import type { Runtime } from '../../step/runtime.js';

/** The tool limits a rehearsal itself. This is for a tool that doesn't, which must not block a turn forever. */
const LIMIT_MS = 60_000;

/** A signal that also aborts after the limit. */
export function limitTime(
  { clock }: Runtime,
  signal: AbortSignal,
  limitMs = LIMIT_MS,
): { signal: AbortSignal; end(): void } {
  const stop = createStop();
  const forget = onAbort(signal, () => stop.stop(new Error('stopped')));
  const cancel = clock.after(limitMs, () => stop.stop(new Error('the rehearsal took too long')));
  return {
    signal: stop.signal,
    end() {
      forget();
      cancel();
    },
  };
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
export function withoutEffect(noEffect: NoEffect, ms: number): RehearsalRecord {
  return NOTHING_RAN.includes(noEffect.reason) ? { noEffect } : { ms, noEffect };
}
