import type { QuietHours } from '@countersign/protocol';
import { nextDue } from '../schedules/next-due.js';

/** When the quiet hours that it is in now end. Undefined outside of them. */
export function quietUntil(quiet: QuietHours | undefined, now: number): number | undefined {
  if (quiet === undefined) return undefined;
  const next = (time: string): number => {
    const [hours, minutes] = time.split(':').map(Number);
    return nextDue({ cron: `${minutes} ${hours} * * *`, timeZone: quiet.timeZone }, now) ?? now;
  };
  const until = next(quiet.until);
  return until < next(quiet.from) ? until : undefined;
}
