import { randomUUID } from 'node:crypto';

/** Sessions of one agent that get a chat of their own. Later ones share one, so that a client can't fill the list of chats. */
const MOST_SESSIONS = 100;
const SHARED = 'mcp';
const SESSION_ID = /^[\w-]{1,64}$/;

/**
 * Sessions only tell connections apart, for chats and cancellations. They aren't credentials, and nothing is lost with them, so a client keeps its
 * session when the server restarts.
 */
export interface ClientSessions {
  newId(): string;
  /** The session in which a client's calls are proposed. */
  of(agent: string, given: string | undefined): string;
}

export function createClientSessions(): ClientSessions {
  const known = new Map<string, Set<string>>();
  return {
    newId: () => randomUUID(),
    of(agent, given) {
      if (given === undefined || !SESSION_ID.test(given)) return SHARED;
      const own = known.get(agent) ?? new Set<string>();
      known.set(agent, own);
      if (!own.has(given) && own.size >= MOST_SESSIONS) return SHARED;
      own.add(given);
      return given;
    },
  };
}
