import type { ScheduleTimes } from '@countersign/core/ports';
import { CountersignError } from '@countersign/protocol';
import { Cron } from 'croner';

/**
 * When a schedule is due after this time. Undefined if never. A time of day that daylight saving skips is due right after the gap, and one
 * that occurs twice is due once, unless the expression repeats within the hour.
 */
export function nextDue({ cron, at, timeZone }: ScheduleTimes, after: number): number | undefined {
  if (cron === undefined) return at > after ? at : undefined;
  return parse(cron, timeZone).nextRun(new Date(after))?.getTime();
}

const LONGEST_MS = 366 * 24 * 60 * 60_000;

/** Rejects times that never come, or that nobody will remember. */
export function readTimes(
  { cron, at, timeZone }: { cron?: string; at?: string; timeZone: string },
  now: number,
): ScheduleTimes {
  if ((cron === undefined) === (at === undefined)) throw invalid('cron', 'send either cron or at');
  checkZone(timeZone);
  const times: ScheduleTimes = cron === undefined ? { at: Date.parse(at ?? ''), timeZone } : { cron, timeZone };
  const due = nextDue(times, now);
  if (due === undefined)
    throw cron === undefined ? invalid('at', 'must be in the future') : invalid('cron', 'never comes');
  if (times.at !== undefined && due > now + LONGEST_MS) throw invalid('at', 'can be at most a year from now');
  return times;
}

function parse(cron: string, timezone: string): Cron {
  try {
    return new Cron(cron, { mode: '5-part', paused: true, timezone });
  } catch (cause) {
    const why = cause instanceof Error ? cause.message.replace(/^CronPattern: /, '') : 'is invalid';
    throw invalid('cron', why, cause);
  }
}

export function checkZone(timeZone: string): void {
  try {
    Intl.DateTimeFormat('en', { timeZone });
  } catch (cause) {
    throw invalid('timeZone', 'is not a known time zone. Write one such as Europe/Berlin', cause);
  }
}

function invalid(field: string, detail: string, cause?: unknown): CountersignError {
  return new CountersignError('invalid', `${field}: ${detail}`, { field, cause });
}
