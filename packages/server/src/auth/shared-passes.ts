import { randomBytes } from 'node:crypto';
import type { SharedPasses } from '@countersign/core/ports';
import { z } from 'zod';
import { hashSecret, isSecret, randomSecret } from './secrets.js';
import { SESSION_LIFETIME_MS, type Sessions } from './sessions.js';
import { TICKET_MS, type Tickets } from './tickets.js';

/** As it lies in the database: nothing in it opens anything. */
const sharedSessionSchema = z.strictObject({ cookieHash: z.string(), headerHash: z.string(), usedAt: z.number() });

const NOTE_USE_MS = 60 * 60 * 1000;

/** Sessions that every process on a database knows, whichever opened them. How long they are good is judged by the database's clock. */
export function createSharedSessions(passes: SharedPasses, now: () => number): Sessions {
  const keep = (id: string, session: z.infer<typeof sharedSessionSchema>): Promise<void> =>
    passes.put(`session ${id}`, JSON.stringify(session), SESSION_LIFETIME_MS);

  return {
    async open() {
      const [id, cookie, header] = [randomBytes(4).toString('hex'), randomSecret(), randomSecret()];
      const [cookieHash, headerHash] = [hashSecret(cookie).toString('hex'), hashSecret(header).toString('hex')];
      await keep(id, { cookieHash, headerHash, usedAt: now() });
      return { id, cookie: `${id}.${cookie}`, header };
    },
    async find(cookie, header) {
      const [id = '', secret = ''] = cookie.split('.', 2);
      if (!/^[0-9a-f]{8}$/.test(id)) return undefined;
      const text = await passes.find(`session ${id}`);
      if (text === undefined) return undefined;
      const session = sharedSessionSchema.parse(JSON.parse(text));
      const cookieFits = isSecret(secret, Buffer.from(session.cookieHash, 'hex'));
      const headerFits = isSecret(header, Buffer.from(session.headerHash, 'hex'));
      if (!cookieFits || !headerFits) return undefined;
      // Either way: another process's clock may be ahead.
      if (Math.abs(now() - session.usedAt) >= NOTE_USE_MS) await keep(id, { ...session, usedAt: now() });
      return { id };
    },
  };
}

/** Tickets that any process takes, and one of them once: a start link may be opened through whatever stands in front of all. */
export function createSharedTickets(passes: SharedPasses, report: (error: unknown, what: string) => void): Tickets {
  /** Those that are being written: the browser may be faster. */
  const writing = new Set<Promise<void>>();
  const idOf = (ticket: string): string => `ticket ${hashSecret(ticket).toString('hex')}`;
  return {
    make() {
      const ticket = randomSecret();
      const kept = passes.put(idOf(ticket), '', TICKET_MS);
      const written = kept
        .catch((error: unknown) => report(error, 'a start link could not be kept; ask for another'))
        .finally(() => writing.delete(written));
      writing.add(written);
      return { ticket, kept };
    },
    async take(ticket) {
      await Promise.all(writing);
      return await passes.take(idOf(ticket));
    },
  };
}
