import type { AgentSession, Clock, GenerateRequest } from '@countersign/core/ports';
import { openSession, type Session } from './open-session.js';
import { storedSession } from './write-prompt.js';

/** The running sessions of ACP agents, each with a key for the agent and its chat. */
export interface LiveSessions {
  get(key: string): Session | undefined;
  list(): readonly (readonly [key: string, session: Session])[];
  /** The session with this key, started if necessary. */
  find(key: string, place: AgentSession, request: GenerateRequest): Promise<Session>;
  /** Ends the session after a while, unless the agent gets another prompt. */
  startIdle(key: string, session: Session): void;
  drop(key: string): Promise<void>;
  close(): Promise<void>;
}

interface LiveSession {
  session: Session;
  /** The settings that the program was started with. */
  settings: string;
  stopIdle(): void;
}

interface Options {
  clock: Clock;
  env: NodeJS.ProcessEnv | undefined;
  /** Called when a session has ended, for whatever reason. */
  onEnd: (key: string) => void;
}

/** A session without a prompt ends after this time. Its agent restores it, if it can. */
const IDLE_MS = 10 * 60_000;
const MAX_SESSIONS = 32;

export function liveSessions({ clock, env, onEnd }: Options): LiveSessions {
  const live = new Map<string, LiveSession>();
  const opening = new Map<string, Promise<Session>>();
  let isClosed = false;

  async function drop(key: string): Promise<void> {
    const found = live.get(key);
    live.delete(key);
    found?.stopIdle();
    await found?.session.close();
  }

  async function open(
    key: string,
    { acp, workingDirectory }: AgentSession,
    request: GenerateRequest,
  ): Promise<Session> {
    await makeRoom();
    const stored = storedSession(request.messages);
    const session = await openSession({
      acp,
      workingDirectory,
      stored,
      clock,
      ...(env === undefined ? {} : { env }),
    });
    if (isClosed) {
      await session.close();
      throw new Error('the server is shutting down');
    }
    live.set(key, { session, settings: JSON.stringify(acp), stopIdle: () => undefined });
    void session.ended.then(() => {
      onEnd(key);
      if (live.get(key)?.session !== session) return;
      live.get(key)?.stopIdle();
      live.delete(key);
    });
    return session;
  }

  /** Called before the new session is in `opening`. */
  async function makeRoom(): Promise<void> {
    if (live.size + opening.size < MAX_SESSIONS) return;
    const idle = [...live].find(([, { session }]) => session.prompt()?.end() !== undefined);
    if (idle === undefined)
      throw new Error(`${MAX_SESSIONS} ACP agents are already working. Wait until one has finished, or stop a chat`);
    await drop(idle[0]);
  }

  return {
    get: (key) => live.get(key)?.session,
    list: () => [...live].map(([key, { session }]) => [key, session]),
    async find(key, place, request) {
      const known = live.get(key);
      if (known !== undefined) {
        known.stopIdle();
        const isSame = known.settings === JSON.stringify(place.acp);
        const { session } = known;
        if (isSame && session.workingDirectory === place.workingDirectory && session.isAlive()) return session;
        await drop(key);
      }
      const starting = opening.get(key) ?? open(key, place, request).finally(() => opening.delete(key));
      opening.set(key, starting);
      return await starting;
    },
    startIdle(key, session) {
      const known = live.get(key);
      if (known?.session !== session) return;
      known.stopIdle();
      known.stopIdle = clock.after(IDLE_MS, () => void drop(key), { background: true });
    },
    drop,
    async close() {
      isClosed = true;
      await Promise.all([...live.keys()].map(drop));
      await Promise.allSettled(opening.values());
    },
  };
}
