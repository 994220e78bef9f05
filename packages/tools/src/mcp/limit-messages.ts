import type { Clock } from '@countersign/core/ports';

const BURST = 1_000;
const PER_SECOND = 100;

/**
 * How many messages that nobody asked for (progress, logs, "my list changed") a server may send. Without a limit one that floods us
 * would take the time of every world in this process. False: drop it.
 */
export function createMessageBudget(clock: Pick<Clock, 'now'>): () => boolean {
  let left = BURST;
  let last = clock.now();
  return () => {
    const now = clock.now();
    left = Math.min(BURST, left + ((now - last) / 1_000) * PER_SECOND);
    last = now;
    if (left < 1) return false;
    left -= 1;
    return true;
  };
}
