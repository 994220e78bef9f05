import type { Failure } from './read-failure.js';

/** The retry delay that the vendor requests, in any of four formats. */
export function retryAfterMs(failure: Pick<Failure, 'headers' | 'retryDelay'>, now = Date.now()): number | undefined {
  const inMs = wait(failure.headers?.get('retry-after-ms'), 1);
  if (inMs !== undefined) return inMs;
  const header = failure.headers?.get('retry-after');
  const inSeconds = wait(header, 1_000);
  if (inSeconds !== undefined) return inSeconds;
  const date = header === undefined || header === null ? Number.NaN : Date.parse(header);
  if (!Number.isNaN(date)) return Math.max(0, date - now);
  return wait(/^([\d.]+)s$/.exec(failure.retryDelay ?? '')?.[1], 1_000);
}

function wait(text: string | null | undefined, unit: number): number | undefined {
  if (text === undefined || text === null || !/^\d+(\.\d+)?$/.test(text.trim())) return undefined;
  return Math.ceil(Number(text) * unit);
}
