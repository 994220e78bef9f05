import type { Clock } from '@countersign/core/ports';
import { HttpProblem } from './http-problem.js';

/** Says when there is room again. */
export function refusal(detail: string, seconds: number): HttpProblem {
  return new HttpProblem(429, detail, { headers: { 'Retry-After': String(seconds) } });
}

const MAX_KEYS = 10_000;

/** Amounts per key, in bounded memory. Each key's window starts with its first amount. */
export function createWindow(clock: Pick<Clock, 'now'>, ms: number, limit: number) {
  const windows = new Map<string, { start: number; amount: number }>();

  function add(key: string, amount: number): number | undefined {
    const now = clock.now();
    const known = windows.get(key);
    const window = known !== undefined && now - known.start < ms ? known : { start: now, amount: 0 };
    window.amount += amount;
    windows.delete(key);
    windows.set(key, window);
    const [oldest] = windows.keys();
    if (windows.size > MAX_KEYS && oldest !== undefined) windows.delete(oldest);
    return window.amount > limit ? Math.max(1, Math.ceil((window.start + ms - now) / 1000)) : undefined;
  }

  return {
    /** Adds to all keys. Seconds until there is room again, if any of them is over the limit. */
    add(keys: readonly string[], amount: number): number | undefined {
      const waits = keys.flatMap((key) => add(key, amount) ?? []);
      return waits.length === 0 ? undefined : Math.max(...waits);
    },
  };
}
