import type { Clock } from '@countersign/core/ports';
import type { ExternalLimiter } from '../app/context.js';
import { HttpProblem } from '../app/http-problem.js';
import { problemTexts } from '../app/problem-texts.js';

/** What each credential may send for external agents, and each of these agents, in one process (EXT1.17). */
export interface ExternalLimits {
  callsPerMinute: number;
  megabytesPerHour: number;
}

export const EXTERNAL_LIMITS: ExternalLimits = { callsPerMinute: 120, megabytesPerHour: 50 };

export function createExternalLimiter(clock: Pick<Clock, 'now'>, limits: ExternalLimits): ExternalLimiter {
  const calls = createWindow(clock, 60_000, limits.callsPerMinute);
  const bytes = createWindow(clock, 60 * 60_000, limits.megabytesPerHour * 1024 ** 2);
  return {
    request(c) {
      const { holder, external } = c.var.access;
      const keys = external === undefined ? [holder] : [holder, agentKey(external.worldId, external.agentId)];
      const length = c.req.header('content-length');
      const seconds = bytes.add(keys, Number(length ?? 0));
      if (seconds !== undefined) throw refusal(problemTexts.tooManyBytes(limits.megabytesPerHour, seconds), seconds);
      if (length === undefined) c.set('received', (count) => void bytes.add(keys, count));
    },
    call(c, worldId, agentId) {
      const seconds = calls.add([c.var.access.holder, agentKey(worldId, agentId)], 1);
      if (seconds !== undefined) throw refusal(problemTexts.tooManyCalls(limits.callsPerMinute, seconds), seconds);
    },
  };
}

function agentKey(worldId: string, agentId: string): string {
  return JSON.stringify([worldId, agentId]);
}

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
