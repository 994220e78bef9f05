import { randomBytes } from 'node:crypto';
import type { SharedPasses } from '@countersign/core/ports';
import { z } from 'zod';
import { hashSecret, isSecret, randomSecret } from './secrets.js';
import { SESSION_LIFETIME_MS, type Sessions } from './sessions.js';
import { TICKET_MS, type Tickets } from './tickets.js';

/** A session as stored in the database. It contains only hashes, so reading it doesn't let anyone sign in. */
const sharedSessionSchema = z.strictObject({ cookieHash: z.string(), headerHash: z.string(), usedAt: z.number() });

const NOTE_USE_MS = 60 * 60 * 1000;

/** Sessions shared by all processes on a database. They expire by the database's clock. */
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
      // Absolute difference: another process's clock may be ahead.
      if (Math.abs(now() - session.usedAt) >= NOTE_USE_MS) await keep(id, { ...session, usedAt: now() });
      return { id };
    },
  };
}

/** Single-use tickets that any process accepts: a load balancer may send the start link to another process. */
export function createSharedTickets(passes: SharedPasses, report: (error: unknown, what: string) => void): Tickets {
  /** Pending writes: the browser may open the link before its ticket is stored. */
  const writing = new Set<Promise<void>>();
  const idOf = (ticket: string): string => `ticket ${hashSecret(ticket).toString('hex')}`;
  return {
    make() {
      const ticket = randomSecret();
      const stored = passes.put(idOf(ticket), '', TICKET_MS);
      const written = stored
        .catch((error: unknown) => report(error, 'The start link could not be stored. Create another one'))
        .finally(() => writing.delete(written));
      writing.add(written);
      return { ticket, stored };
    },
    async take(ticket) {
      await Promise.all(writing);
      return await passes.take(idOf(ticket));
    },
  };
}
