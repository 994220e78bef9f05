import { randomBytes } from 'node:crypto';
import type { Clock } from '@countersign/core/ports';
import { z } from 'zod';
import { hashSecret, isSecret, randomSecret } from './secrets.js';

/** A stored browser session. It contains only hashes, so reading it doesn't let anyone sign in. */
export const storedSessionSchema = z.strictObject({
  /** Identifies the session in the audit log. */
  id: z.string().regex(/^[0-9a-f]{8}$/),
  cookieHash: z.string().regex(/^[0-9a-f]{64}$/),
  headerHash: z.string().regex(/^[0-9a-f]{64}$/),
  createdAt: z.number(),
  usedAt: z.number(),
});
export type StoredSession = z.infer<typeof storedSessionSchema>;

/** Persists sessions. Neither function throws: a session that can't be saved works until the process ends. */
export interface SessionKeeper {
  load(): readonly StoredSession[];
  save(sessions: readonly StoredSession[]): void;
}

export const SESSION_LIFETIME_MS = 30 * 24 * 60 * 60 * 1000;
const NOTE_USE_MS = 60 * 60 * 1000;
const MAX = 100;

interface Opened {
  id: string;
  cookie: string;
  header: string;
}
type Found = { id: string } | undefined;

export interface Sessions {
  /** Creates two secrets: the cookie, which any server on this host receives, and the header value, which only the page has. */
  open(): Opened | Promise<Opened>;
  /** The session that both secrets belong to. */
  find(cookie: string, header: string): Found | Promise<Found>;
}

export function createSessions(clock: Pick<Clock, 'now'>, keeper?: SessionKeeper): Sessions {
  const alive = new Map((keeper?.load() ?? []).map((session) => [session.id, session]));

  function keep(): void {
    for (const { id, usedAt } of alive.values()) {
      if (usedAt + SESSION_LIFETIME_MS <= clock.now()) alive.delete(id);
    }
    const byUse = [...alive.values()].sort((a, b) => b.usedAt - a.usedAt);
    for (const { id } of byUse.slice(MAX)) alive.delete(id);
    keeper?.save([...alive.values()]);
  }

  function freeId(): string {
    for (;;) {
      const id = randomBytes(4).toString('hex');
      if (!alive.has(id)) return id;
    }
  }

  return {
    open() {
      const id = freeId();
      const cookie = randomSecret();
      const header = randomSecret();
      const now = clock.now();
      alive.set(id, {
        id,
        cookieHash: hashSecret(cookie).toString('hex'),
        headerHash: hashSecret(header).toString('hex'),
        createdAt: now,
        usedAt: now,
      });
      keep();
      return { id, cookie: `${id}.${cookie}`, header };
    },
    find(cookie, header) {
      const [id = '', secret = ''] = cookie.split('.', 2);
      const session = alive.get(id);
      if (session === undefined || session.usedAt + SESSION_LIFETIME_MS <= clock.now()) return undefined;
      const cookieFits = isSecret(secret, Buffer.from(session.cookieHash, 'hex'));
      const headerFits = isSecret(header, Buffer.from(session.headerHash, 'hex'));
      if (!cookieFits || !headerFits) return undefined;
      if (clock.now() - session.usedAt >= NOTE_USE_MS) {
        alive.set(id, { ...session, usedAt: clock.now() });
        keep();
      }
      return { id };
    },
  };
}
