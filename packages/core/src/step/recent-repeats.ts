import type { ToolResultOutcome } from '@countersign/protocol';
import type { Clock } from '../ports/index.js';

/** Late duplicates of decisions on settled calls (T7). */
export interface RecentRepeats {
  /** Whether the cache is empty. */
  isEmpty(): boolean;
  find(key: string): ToolResultOutcome | undefined;
  keep(key: string, outcome: ToolResultOutcome): void;
  /** Call it when settled calls are deleted. */
  clear(): void;
}

const CAPACITY = 1_000;
const LIFETIME_MS = 10 * 60 * 1000;

/**
 * An LRU cache, limited in size and age. The store detects every duplicate; this only keeps a client that resends a decision from blocking the
 * store's single writer each time. Caches only final outcomes.
 */
export function createRecentRepeats(
  clock: Pick<Clock, 'now'>,
  bounds: { capacity?: number; lifetimeMs?: number } = {},
): RecentRepeats {
  const { capacity = CAPACITY, lifetimeMs = LIFETIME_MS } = bounds;
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
