import type { Clock } from '@countersign/core/ports';
import { hashSecret, randomSecret } from './secrets.js';

/** Lifetime of a start link (W1). */
export const TICKET_MS = 60_000;
/** Limits memory if a client keeps requesting tickets. */
const MAX = 100;

/** Single-use tickets. Only their hashes are stored. */
export interface Tickets {
  /** `stored` rejects if the ticket could not be stored for all processes. Callers may ignore it. */
  make(): { ticket: string; stored: Promise<void> };
  /** Returns true only once, and only within a minute. */
  take(ticket: string): boolean | Promise<boolean>;
}

export function createTickets(clock: Pick<Clock, 'now'>): Tickets {
  /** Expiry time by hash, oldest first. */
  const open = new Map<string, number>();

  function forgetOld(): void {
    for (const [hash, ends] of open) {
      if (ends > clock.now() && open.size < MAX) return;
      open.delete(hash);
    }
  }

  return {
    make() {
      forgetOld();
      const ticket = randomSecret();
      open.set(hashSecret(ticket).toString('hex'), clock.now() + TICKET_MS);
      return { ticket, stored: Promise.resolve() };
    },
    take(ticket) {
      const hash = hashSecret(ticket).toString('hex');
      const ends = open.get(hash);
      // A ticket that was presented is used up, whether expired or not.
      open.delete(hash);
      return ends !== undefined && clock.now() < ends;
    },
  };
}
