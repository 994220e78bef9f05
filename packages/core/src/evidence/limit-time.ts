import { createStop, onAbort } from '../ports/until-aborted.js';
import type { Runtime } from '../step/runtime.js';

/** The tool limits a rehearsal itself. This is for a tool that doesn't, which must not block a turn forever. */
export const REHEARSAL_LIMIT_MS = 60_000;

/** A signal that also aborts after the limit. */
export function limitTime(
  { clock }: Pick<Runtime, 'clock'>,
  signal: AbortSignal,
  limitMs: number,
): { signal: AbortSignal; end(): void } {
  const stop = createStop();
  // A signal that has aborted calls nobody.
  if (signal.aborted) stop.stop(new Error('stopped'));
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
