import { randomUUID } from 'node:crypto';

/** Sessions of one agent that get a chat of their own. Later ones share one, so that a client can't fill the list of chats. */
const MOST_SESSIONS = 100;
const SHARED = 'mcp';
const OPENS_LINKS = '-url';
const SESSION_ID = /^[\w-]{1,64}$/;

/**
 * Sessions only tell connections apart, for chats and cancellations. They aren't credentials, and nothing is lost with them, so a client keeps its
 * session when the server restarts.
 */
export interface ClientSessions {
  /** The id says whether the client can open links, so that every process knows it, also after a restart. */
  newId(client: { opensLinks: boolean }): string;
  opensLinks(given: string | undefined): boolean;
  /** The session in which a client's calls are proposed. */
  of(agent: string, given: string | undefined): string;
}

export function createClientSessions(): ClientSessions {
  const known = new Map<string, Set<string>>();
  return {
    newId: ({ opensLinks }) => `${randomUUID()}${opensLinks ? OPENS_LINKS : ''}`,
    opensLinks: (given) => given?.endsWith(OPENS_LINKS) === true,
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
