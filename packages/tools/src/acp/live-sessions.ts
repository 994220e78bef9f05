import type { AgentSession, Clock, GenerateRequest } from '@countersign/core/ports';
import { openSession, type Session } from './open-session.js';
import type { AgentPlace } from './start-agent.js';
import type { Prompt } from './prompt.js';
import { storedSession } from './write-prompt.js';

/** The running sessions of ACP agents, each with a key for the agent and its chat. */
export interface LiveSessions {
  get(key: string): Session | undefined;
  list(): readonly (readonly [key: string, session: Session])[];
  /** The session with this key, started if necessary. It ends after a while without a prompt, and makes no room for others until `release`. */
  find(key: string, place: AgentSession, request: GenerateRequest): Promise<Session>;
  release(key: string, request: GenerateRequest): void;
  /** Sends a prompt. The latest one must have ended. */
  send(key: string, session: Session, turnId: string, text: string): Prompt;
  drop(key: string): Promise<void>;
  close(): Promise<void>;
}

interface LiveSession {
  session: Session;
  /** The settings that the program was started with. */
  settings: string;
  /** Of the turn that is about to send a prompt. */
  wantedBy: AbortSignal | undefined;
  stopIdle(): void;
}

interface Options {
  clock: Clock;
  place: AgentPlace;
  /** Called when a session has ended, for whatever reason. */
  onEnd: (key: string) => void;
  /** How many programs may run at once. */
  maxSessions?: number;
}

/** A session without a prompt ends after this time. Its agent restores it, if it can. */
const IDLE_MS = 10 * 60_000;
const MAX_SESSIONS = 32;

export function liveSessions({ clock, place, onEnd, maxSessions = MAX_SESSIONS }: Options): LiveSessions {
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
      place,
    });
    if (isClosed) {
      await session.close();
      throw new Error('the server is shutting down');
    }
    live.set(key, { session, settings: JSON.stringify(acp), wantedBy: request.signal, stopIdle: () => undefined });
    // The turn may have been stopped meanwhile, so that nobody sends a prompt.
    startIdle(key, session);
    void session.ended.then(() => {
      onEnd(key);
      if (live.get(key)?.session !== session) return;
      live.get(key)?.stopIdle();
      live.delete(key);
    });
    return session;
  }

  function startIdle(key: string, session: Session): void {
    const known = live.get(key);
    if (known?.session !== session) return;
    known.stopIdle();
    known.stopIdle = clock.after(IDLE_MS, () => void drop(key), { background: true });
  }

  /** Called before the new session is in `opening`. */
  async function makeRoom(): Promise<void> {
    if (live.size + opening.size < maxSessions) return;
    const idle = [...live].find(([, one]) => isIdle(one));
    if (idle === undefined)
      throw new Error(`${maxSessions} ACP agents are already working. Wait until one has finished, or stop a chat`);
    await drop(idle[0]);
  }

  return {
    get: (key) => live.get(key)?.session,
    list: () => [...live].map(([key, { session }]) => [key, session]),
    async find(key, place, request) {
      const known = live.get(key);
      if (known !== undefined) {
        const isSame = known.settings === JSON.stringify(place.acp);
        const { session } = known;
        if (isSame && session.workingDirectory === place.workingDirectory && session.isAlive()) {
          known.wantedBy = request.signal;
          // A prompt that waits for a person may take days.
          if (!isWorking(session)) startIdle(key, session);
          return session;
        }
        await drop(key);
      }
      const starting = opening.get(key) ?? open(key, place, request).finally(() => opening.delete(key));
      opening.set(key, starting);
      const session = await starting;
      const opened = live.get(key);
      // Another turn, which was stopped, may have started it.
      if (opened?.session === session) opened.wantedBy = request.signal;
      return session;
    },
    release(key, { signal }) {
      const known = live.get(key);
      if (known?.wantedBy === signal) known.wantedBy = undefined;
    },
    send(key, session, turnId, text) {
      const known = live.get(key);
      if (known?.session === session) known.stopIdle();
      const prompt = session.send(turnId, text);
      void prompt.finished.then(() => startIdle(key, session));
      return prompt;
    },
    drop,
    async close() {
      isClosed = true;
      await Promise.all([...live.keys()].map(drop));
      await Promise.allSettled(opening.values());
    },
  };
}

function isWorking(session: Session): boolean {
  const prompt = session.prompt();
  return prompt !== undefined && prompt.end() === undefined;
}

/** Whether the agent neither works nor is about to get a prompt. */
function isIdle({ session, wantedBy }: LiveSession): boolean {
  return !isWorking(session) && wantedBy?.aborted !== false;
}
