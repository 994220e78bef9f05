import type { Clock } from '@countersign/core/ports';
import { hashSecret, randomSecret } from './secrets.js';

/** How long a start link is good (W1). */
export const TICKET_MS = 60_000;
/** Somebody who keeps asking for tickets must not fill the memory. */
const MOST = 100;

/** Single-use tickets. Only their hashes are kept. */
export interface Tickets {
  /** `kept` rejects if the ticket could not be shared with every process. A caller that ignores it need not handle the rejection. */
  make(): { ticket: string; kept: Promise<void> };
  /** True once, within a minute. */
  take(ticket: string): boolean | Promise<boolean>;
}

export function createTickets(clock: Pick<Clock, 'now'>): Tickets {
  /** Hash to the time it ends, oldest first. */
  const open = new Map<string, number>();

  function forgetOld(): void {
    for (const [hash, ends] of open) {
      if (ends > clock.now() && open.size < MOST) return;
      open.delete(hash);
    }
  }

  return {
    make() {
      forgetOld();
      const ticket = randomSecret();
      open.set(hashSecret(ticket).toString('hex'), clock.now() + TICKET_MS);
      return { ticket, kept: Promise.resolve() };
    },
    take(ticket) {
      const hash = hashSecret(ticket).toString('hex');
      const ends = open.get(hash);
      // Whether in time or not: what was shown once is worth nothing any more.
      open.delete(hash);
      return ends !== undefined && clock.now() < ends;
    },
  };
}
