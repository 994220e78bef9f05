import type { ToolResultOutcome } from '@countersign/protocol';
import type { Clock } from '../ports/index.js';

/** Late duplicates of decisions on settled calls (T7). */
export interface RecentRepeats {
  /** Whether there is any to find. */
  isEmpty(): boolean;
  find(key: string): ToolResultOutcome | undefined;
  keep(key: string, outcome: ToolResultOutcome): void;
  /** For when what was settled is deleted. */
  clear(): void;
}

const CAPACITY = 1_000;
const LIFETIME_MS = 10 * 60 * 1000;

/**
 * The durable record knows every duplicate; this only keeps a client that sends the same decision again and again from taking the
 * store's one writer each time. Bounded in number and age, least recently used first out. Only what can never change is kept.
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
