import type { WorldEvent } from '@countersign/protocol';
import { createStop, onAbort, pauseFor } from '../ports/until-aborted.js';
import type { Runtime } from '../step/runtime.js';
import { claimExternal, findExternal, type ClaimRequest, type Verdict } from './claim-external.js';

/** Claims a call, and waits up to this long while it is pending. Returns as soon as it is decided. */
export async function awaitExternal(
  runtime: Runtime,
  asked: ClaimRequest,
  { waitMs, signal }: { waitMs: number; signal: AbortSignal },
): Promise<Verdict> {
  const { worldId, id } = asked;
  // Before anything is noted about the call: it may belong to another caller.
  await findExternal(runtime, asked);
  const until = runtime.clock.now() + waitMs;
  let isNews = false;
  let wake = (): void => undefined;
  // Subscribe first: a decision between the claim and the wait would otherwise be missed.
  const end = runtime.bus.subscribe(worldId, (event) => {
    if (!concerns(event, id)) return;
    isNews = true;
    wake();
  });
  let isPending = false;
  const leave = runtime.background.external.attend(id);
  try {
    for (;;) {
      isNews = false;
      const claimed = await claimExternal(runtime, asked);
      isPending = claimed.state === 'pending';
      const left = until - runtime.clock.now();
      if (!isPending || left <= 0 || signal.aborted) return claimed;
      if (isNews) continue;
      const news = new Promise<void>((resolve) => (wake = resolve));
      const pause = createStop();
      const forget = onAbort(signal, () => pause.stop(new Error('gone')));
      await Promise.race([
        news,
        pauseFor(runtime.clock, Math.min(left, RECHECK_MS), pause.signal).catch(() => undefined),
      ]);
      forget();
      pause.stop(new Error('over'));
    }
  } finally {
    leave(isPending);
    end();
  }
}

/** Another process may have decided the call while its events can't be received. */
const RECHECK_MS = 5_000;

/** A decision, a stop or a new approval of the call, or the deletion of something. */
function concerns({ event, data }: WorldEvent, id: string): boolean {
  if (event === 'tool') return data.invocation_id === id;
  return event === 'crud';
}
