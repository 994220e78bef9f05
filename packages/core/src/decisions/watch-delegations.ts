import type { Runtime } from '../step/runtime.js';
import { announceSigners } from './announce-signers.js';

/**
 * Tells clients when a delegation starts or ends by itself (SIGN4.7). One timer, for the next of these times; in the process in which the
 * delegation was made, and in those that were started later.
 */
export function watchDelegations(runtime: () => Runtime): {
  /** `since`: when clients were last told. A time that has passed in between is not missed. */
  watch(since?: number): Promise<void>;
  close(): void;
} {
  let cancel = (): void => undefined;
  let closed = false;
  async function watch(since?: number): Promise<void> {
    const waitMs = await runtime().store.read(async (reader) => {
      const now = reader.now();
      const times = (await reader.delegations()).flatMap(({ data, expiresAt }) => [
        data.delegation?.from ?? now,
        expiresAt ?? now,
      ]);
      return Math.max(0, Math.min(...times.filter((time) => time > (since ?? now))) - now);
    });
    cancel();
    if (closed || !Number.isFinite(waitMs)) return;
    cancel = runtime().clock.after(waitMs, announce, { background: true });
  }
  function announce(): void {
    announceSigners(runtime()).catch((error: unknown) =>
      runtime().report(error, 'failed to announce that a delegation started or ended'),
    );
  }
  return {
    watch,
    close() {
      closed = true;
      cancel();
    },
  };
}
