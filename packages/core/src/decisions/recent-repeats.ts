import type { ToolResultOutcome } from '@countersign/protocol';
import type { Clock } from '../ports/index.js';
import type { RecentRepeats } from '../step/runtime.js';

const MAX_REPEATS = 1_000;
const REPEAT_LIFETIME_MS = 10 * 60 * 1000;

/**
 * An LRU cache, limited in size and age. The store detects every duplicate; the cache only keeps a client that resends a decision from blocking
 * the store's single writer each time. Only final outcomes are cached.
 */
export function createRecentRepeats(
  clock: Pick<Clock, 'now'>,
  bounds: { capacity?: number; lifetimeMs?: number } = {},
): RecentRepeats {
  const { capacity = MAX_REPEATS, lifetimeMs = REPEAT_LIFETIME_MS } = bounds;
  const kept = new Map<string, { outcome: ToolResultOutcome; until: number }>();
  return {
    isEmpty: () => kept.size === 0,
    find(key) {
      const found = kept.get(key);
      if (found === undefined) return undefined;
      kept.delete(key);
      if (found.until <= clock.now()) return undefined;
      kept.set(key, found);
      return found.outcome;
    },
    keep(key, outcome) {
      kept.delete(key);
      kept.set(key, { outcome, until: clock.now() + lifetimeMs });
      for (const oldest of kept.keys()) {
        if (kept.size <= capacity) return;
        kept.delete(oldest);
      }
    },
    clear: () => kept.clear(),
  };
}
